package io.cairn.cli.fs;

import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Calls;
import io.cairn.cli.api.Changing;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code cairn clone}: a new file with the contents of another one. */
@Command(
        name = "clone",
        description = {
            "Make a copy of a file at once, whatever its size: both files share their chunks.",
            "What is written to one of them later does not show in the other.",
            "SRC may be in a snapshot: that brings a file back as it was."
        },
        footer = {
            "  cairn clone /mnt/cairn/images/base.raw /mnt/cairn/images/vm1.raw",
            "  cairn clone /images/base.raw /images/vm2.raw",
            "  cairn clone /images/.snapshots/monday/vm1.raw /images/vm1.monday.raw"
        })
@Calls("POST /clones")
public final class CloneCommand implements Callable<Integer> {
    @Parameters(
            index = "0",
            paramLabel = "SRC",
            description = "A regular file, below a mount or as in the cluster.")
    private String source = "";

    @Parameters(
            index = "1",
            paramLabel = "DST",
            description = "The path of the clone, where nothing is yet.")
    private String target = "";

    @Mixin private Changing changing = new Changing();

    @Override
    public Integer call() {
        ClusterPath from = ClusterPath.of(source).checked(changing);
        ClusterPath to = ClusterPath.removed(target);
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("source", from.text());
        body.put("target", to.text());
        return changing.done(
                changing.apply(ApiRequest.of("POST /clones").body(body)),
                to.text() + " is a clone of " + from.text());
    }
}
