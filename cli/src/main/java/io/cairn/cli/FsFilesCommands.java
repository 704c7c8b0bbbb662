package io.cairn.cli;

import io.cairn.cli.api.ApiRequest;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands that look at files over the admin API; no mount is needed. */
final class FsFilesCommands {
    static final String PATH = "On a mount here, or in the cluster.";

    private FsFilesCommands() {}

    /** {@code cairn fs show}. */
    @Command(
            name = "show",
            description = "Show a file or directory: attributes, policy, layout, chunks, copies.",
            footer = {"  cairn fs show /projects/big", "  cairn fs show --ino 4711"})
    @Calls("GET /files/{path}")
    static final class Show implements Callable<Integer> {
        @Mixin private Reading reading = new Reading();

        @Parameters(index = "0", arity = "0..1", paramLabel = "PATH", description = PATH)
        private @Nullable String path;

        @Option(names = "--ino", paramLabel = "N", description = "By inode number, not by path.")
        private @Nullable Long ino;

        @Option(
                names = "--chunks",
                paramLabel = "N",
                defaultValue = "100",
                description = "Show at most so many chunks (default: ${DEFAULT-VALUE}).")
        private int chunks;

        @Option(
                names = "--chunks-after",
                paramLabel = "N",
                description = "Only those after this one.")
        private @Nullable Long chunksAfter;

        @Override
        public Integer call() {
            if ((path == null) == (ino == null)) {
                throw new CommandException(ExitCode.USAGE, "give a PATH, or --ino N");
            }
            String text = path == null ? "" : ClusterPath.of(path).text();
            return reading.show(
                    ApiRequest.of("GET /files/{path}", text)
                            .query("ino", ino)
                            .query("chunks", chunks)
                            .query("chunksAfter", chunksAfter));
        }
    }

    /** {@code cairn fs list}. */
    @Command(
            name = "list",
            description = "List a directory.",
            footer = {"  cairn fs list /projects"})
    @Calls("GET /entries/{path}")
    static final class Entries implements Callable<Integer> {
        @Mixin private Reading reading = new Reading();

        @Parameters(index = "0", paramLabel = "PATH", description = PATH)
        private String path = "";

        @Override
        public Integer call() {
            return reading.list(
                    ApiRequest.of("GET /entries/{path}", ClusterPath.of(path).text()),
                    "mode links uid gid sizeBytes:size modifiedAt:modified type name");
        }
    }
}
