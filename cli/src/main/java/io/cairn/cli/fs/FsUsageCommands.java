package io.cairn.cli.fs;

import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Calls;
import io.cairn.cli.api.Reading;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands that show the sums of trees, users and groups, which the masters always know. */
final class FsUsageCommands {
    private static final String SUMS = "spaceBytes:space lengthBytes:length inodes";

    private static final String LEFT_OUT =
            "not counted: the trash (cairn trash list), and what snapshots hold"
                    + " (cairn snapshot list --held)";

    private FsUsageCommands() {}

    /** {@code cairn fs usage}. */
    @Command(
            name = "usage",
            description = "Show what lies below a directory; it is known at once, however much.",
            footer = {"  cairn fs usage /projects"})
    @Calls("GET /usage/{path}")
    static final class Usage implements Callable<Integer> {
        @Mixin private Reading reading = new Reading();

        @Parameters(index = "0", paramLabel = "PATH", description = FsFilesCommands.PATH)
        private String path = "";

        @Override
        public Integer call() {
            ApiRequest request = ApiRequest.of("GET /usage/{path}", ClusterPath.of(path).text());
            return reading.show(request, LEFT_OUT);
        }
    }

    /** {@code cairn fs top}. */
    @Command(
            name = "top",
            description = "List what is largest in a directory, or which users or groups are.",
            footer = {
                "  cairn fs top /projects",
                "  cairn fs top /projects --by inodes --limit 10",
                "  cairn fs top --users"
            })
    @Calls({"GET /top/{path}", "GET /owners"})
    static final class Top implements Callable<Integer> {
        @Mixin private Reading reading = new Reading();

        @Parameters(
                index = "0",
                arity = "0..1",
                paramLabel = "PATH",
                description = FsFilesCommands.PATH)
        private @Nullable String path;

        @Option(names = "--users", description = "Users of the whole filesystem.")
        private boolean users;

        @Option(names = "--groups", description = "Groups of the whole filesystem.")
        private boolean groups;

        @Option(
                names = "--by",
                paramLabel = "WHAT",
                defaultValue = "space",
                description = "space, length or inodes (default: ${DEFAULT-VALUE}).")
        private String by = "space";

        @Override
        public Integer call() {
            String place = path;
            if ((place == null ? 0 : 1) + (users ? 1 : 0) + (groups ? 1 : 0) != 1) {
                throw new CommandException(
                        ExitCode.USAGE, "give a directory, or --users, or --groups");
            }
            ApiRequest request =
                    place == null
                            ? ApiRequest.of("GET /owners").query("kind", users ? "users" : "groups")
                            : ApiRequest.of("GET /top/{path}", ClusterPath.of(place).text());
            return reading.list(
                    request.query("by", by), SUMS + (place == null ? " id" : " type name"));
        }
    }
}
