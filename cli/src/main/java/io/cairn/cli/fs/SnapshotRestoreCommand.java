package io.cairn.cli.fs;

import io.cairn.cli.api.Calls;
import io.cairn.cli.api.Changing;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cairn snapshot restore}: a tree as a snapshot shows it, beside the one that lives. */
@Command(
        name = "restore",
        description = {
            "Make a new directory as a snapshot shows it, without copying contents.",
            "The directory itself stays as it is: a job of the masters clones the snapshot."
        },
        footer = "  cairn snapshot restore /projects monday --to /projects.monday")
@Calls({"POST /clones", "GET /jobs/{id}", "GET /files/{path}"})
final class SnapshotRestoreCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "DIR", description = SnapshotCommand.DIRECTORY)
    private String path = "";

    @Parameters(index = "1", paramLabel = "NAME", description = "As listed.")
    private String name = "";

    @Option(
            names = "--to",
            paramLabel = "DST",
            description = "The path of the new directory, where nothing is yet.")
    private @Nullable String target;

    @Mixin private Changing changing = new Changing();
    @Mixin private Ordering ordering = new Ordering();

    @Override
    public Integer call() {
        if (target == null) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "nothing is restored in place: give --to DST for a new directory, look at it,"
                            + " and then exchange the two with 'mv'");
        }
        if (name.isEmpty() || name.contains("/")) {
            throw new CommandException(ExitCode.USAGE, "'" + name + "' is no name of a snapshot");
        }
        ClusterPath place = ClusterPath.of(path).checked(changing);
        String snapshot = SnapshotCommand.list(place) + "/" + name;
        return CloneCommand.make(snapshot, target, changing, ordering);
    }
}
