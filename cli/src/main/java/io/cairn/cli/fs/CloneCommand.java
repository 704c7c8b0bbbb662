package io.cairn.cli.fs;

import io.cairn.cli.api.ApiAnswer;
import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Calls;
import io.cairn.cli.api.Changing;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code cairn clone}: a new file or tree with the contents of another one. */
@Command(
        name = "clone",
        description = {
            "Make a copy of a file at once, whatever its size: both files share their chunks.",
            "What is written to one of them later does not show in the other.",
            "SRC may be in a snapshot: that brings a file back as it was.",
            "A directory is cloned with all that is in it, by a job of the masters."
        },
        footer = {
            "  cairn clone /mnt/cairn/images/base.raw /mnt/cairn/images/vm1.raw",
            "  cairn clone /images/base.raw /images/vm2.raw",
            "  cairn clone /images/.snapshots/monday/vm1.raw /images/vm1.monday.raw",
            "  cairn clone /projects/site /projects/site.test"
        })
@Calls({"POST /clones", "GET /jobs/{id}"})
public final class CloneCommand implements Callable<Integer> {
    @Parameters(
            index = "0",
            paramLabel = "SRC",
            description = "A regular file or a directory, below a mount or as in the cluster.")
    private String source = "";

    @Parameters(
            index = "1",
            paramLabel = "DST",
            description = "The path of the clone, where nothing is yet.")
    private String target = "";

    @Mixin private Changing changing = new Changing();
    @Mixin private Ordering ordering = new Ordering();

    @Override
    public Integer call() {
        return make(ClusterPath.of(source).checked(changing).text(), target, changing, ordering);
    }

    /** Clones a path in the cluster, and waits when a job does it. */
    static int make(String from, String given, Changing changing, Ordering ordering) {
        String to = ClusterPath.removed(given).text();
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("source", from);
        body.put("target", to);
        ordering.putRate(body);
        ApiAnswer answer = changing.apply(ApiRequest.of("POST /clones").body(body));
        if (answer != null && answer.document().get("job") instanceof String job) {
            return ordering.follow(changing, answer, job);
        }
        return changing.done(answer, to + " is a clone of " + from);
    }
}
