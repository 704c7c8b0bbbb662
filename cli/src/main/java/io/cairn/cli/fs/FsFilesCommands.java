package io.cairn.cli.fs;

import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Calls;
import io.cairn.cli.api.Reading;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The commands that look at files over the admin API; no mount is needed. */
final class FsFilesCommands {
    static final String PATH = "On a mount here, or in the cluster.";

    private FsFilesCommands() {}

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
