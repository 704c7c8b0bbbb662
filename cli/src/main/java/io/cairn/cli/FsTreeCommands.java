package io.cairn.cli;

import io.cairn.cli.api.ApiRequest;
import io.cairn.cluster.Policy;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The commands that change files over the admin API: one inode at once, or a whole tree as a job of
 * the masters.
 */
final class FsTreeCommands {
    private static final String STANDARD = "standard";

    private FsTreeCommands() {}

    /** Sends an edit: to one inode, or as a job for the tree. */
    private static int edit(
            Changing changing, Tree tree, String kind, String path, Map<String, Object> fields) {
        ClusterPath place = ClusterPath.of(path).checked(changing);
        if (tree.recursive) {
            return tree.ordering.order(
                    changing, kind, place, fields, fields.get("replicas") != null);
        }
        ApiRequest request = ApiRequest.of("PATCH /files/{path}", place.text()).body(fields);
        boolean isFewer =
                fields.get("replicas") instanceof Long wanted && wanted < replicas(changing, place);
        return changing.done(
                isFewer ? changing.applyWithConsent(request) : changing.apply(request),
                place.text() + " is changed");
    }

    private static long replicas(Changing changing, ClusterPath place) {
        Object policy =
                changing.ask(ApiRequest.of("GET /files/{path}", place.text()))
                        .document()
                        .get("effectivePolicy");
        return policy instanceof Map<?, ?> map && map.get("replicas") instanceof Number number
                ? number.longValue()
                : Policy.MAX_REPLICAS;
    }

    /** Whether a tree is meant, and how its job is ordered. */
    static final class Tree {
        @Option(
                names = {"-R", "-r", "--recursive"},
                description = "The whole tree, as a job of the masters.")
        private boolean recursive;

        @Mixin private Ordering ordering = new Ordering();
    }

    /** {@code cairn fs remove}. */
    @Command(
            name = "remove",
            description = "Remove a file or a whole tree: a job of the masters.",
            footer = {
                "  cairn fs remove /projects/old --plan",
                "  cairn fs remove /projects/old --detach"
            })
    @Calls({"POST /jobs", "GET /jobs/{id}", "GET /files/{path}"})
    static final class Remove implements Callable<Integer> {
        @Mixin private Changing changing = new Changing();
        @Mixin private Ordering ordering = new Ordering();

        @Parameters(index = "0", paramLabel = "PATH", description = FsFilesCommands.PATH)
        private String path = "";

        @Override
        public Integer call() {
            ClusterPath place = ClusterPath.of(path).checked(changing);
            return ordering.order(changing, "remove", place, Map.of(), true);
        }
    }

    /** {@code cairn fs usage}. */
    @Command(
            name = "usage",
            description = "Count files and space of a tree, copies included: a job of the masters.",
            footer = {"  cairn fs usage /projects"})
    @Calls({"POST /jobs", "GET /jobs/{id}"})
    static final class Usage implements Callable<Integer> {
        @Mixin private Changing changing = new Changing();
        @Mixin private Ordering ordering = new Ordering();

        @Parameters(index = "0", paramLabel = "PATH", description = FsFilesCommands.PATH)
        private String path = "";

        @Override
        public Integer call() {
            return ordering.order(changing, "usage", ClusterPath.of(path), Map.of(), false);
        }
    }

    /** {@code cairn fs chown}. */
    @Command(
            name = "chown",
            description = "Change the owner or group of a file, or with -R of a tree.",
            footer = {"  cairn fs chown -R anna:staff /projects"})
    @Calls({"PATCH /files/{path}", "GET /files/{path}", "POST /jobs", "GET /jobs/{id}"})
    static final class Chown implements Callable<Integer> {
        @Mixin private Changing changing = new Changing();
        @Mixin private Tree tree = new Tree();

        @Parameters(
                index = "0",
                paramLabel = "[OWNER][:GROUP]",
                description = "Numbers, or names that this machine knows.")
        private String owner = "";

        @Parameters(index = "1", paramLabel = "PATH", description = FsFilesCommands.PATH)
        private String path = "";

        @Override
        public Integer call() {
            String[] parts = owner.split(":", 2);
            Map<String, Object> fields = new LinkedHashMap<>();
            if (!parts[0].isEmpty()) {
                fields.put("uid", NameService.uid(parts[0]));
            }
            if (parts.length > 1 && !parts[1].isEmpty()) {
                fields.put("gid", NameService.gid(parts[1]));
            }
            if (fields.isEmpty()) {
                throw new CommandException(ExitCode.USAGE, "no owner and no group is given");
            }
            return edit(changing, tree, "chown", path, fields);
        }
    }

    /** {@code cairn fs chmod}. */
    @Command(
            name = "chmod",
            description = "Change the mode of a file, or with -R of a tree.",
            footer = {"  cairn fs chmod -R u=rwX,go=rX /projects"})
    @Calls({"PATCH /files/{path}", "GET /files/{path}", "POST /jobs", "GET /jobs/{id}"})
    static final class Chmod implements Callable<Integer> {
        @Mixin private Changing changing = new Changing();
        @Mixin private Tree tree = new Tree();

        @Parameters(
                index = "0",
                paramLabel = "MODE",
                description = "Octal (0755) or symbolic (u=rwx,go-w,+X).")
        private String mode = "";

        @Parameters(index = "1", paramLabel = "PATH", description = FsFilesCommands.PATH)
        private String path = "";

        @Override
        public Integer call() {
            return edit(changing, tree, "chmod", path, Map.of("mode", mode));
        }
    }

    /** {@code cairn fs policy}. */
    @Command(
            name = "policy",
            description = {
                "Change what a file or directory asks for, or with -R everything in a tree.",
                "It is for new contents; 'cairn fs set' on a mount also moves what is there."
            },
            footer = {
                "  cairn fs policy --replicas 3 /projects",
                "  cairn fs policy -R --replicas standard /projects"
            })
    @Calls({"PATCH /files/{path}", "GET /files/{path}", "POST /jobs", "GET /jobs/{id}"})
    static final class PolicyChange implements Callable<Integer> {
        @Mixin private Changing changing = new Changing();
        @Mixin private Tree tree = new Tree();

        @Parameters(index = "0", paramLabel = "PATH", description = FsFilesCommands.PATH)
        private String path = "";

        @Option(
                names = "--replicas",
                paramLabel = "N",
                description = "Copies of every chunk, 1 to 15, or 'standard'.")
        private @Nullable String replicas;

        @Option(
                names = "--chunk-size",
                paramLabel = "SIZE",
                description = "64K to 64M, a power of two, or 'standard'.")
        private @Nullable String chunkSize;

        @Option(
                names = "--stripe",
                paramLabel = "N",
                description = "Placement groups that a file uses in turn, 0 for all; 'standard'.")
        private @Nullable String stripe;

        @Override
        public Integer call() {
            Map<String, @Nullable Object> fields = new LinkedHashMap<>();
            if (replicas != null) {
                fields.put("replicas", number("--replicas", replicas));
            }
            if (chunkSize != null) {
                fields.put(
                        "chunkSizeBytes",
                        chunkSize.equals(STANDARD) ? null : ByteSize.parse(chunkSize));
            }
            if (stripe != null) {
                fields.put("stripe", number("--stripe", stripe));
            }
            if (fields.isEmpty()) {
                throw new CommandException(
                        ExitCode.USAGE,
                        "nothing to set; give --replicas, --chunk-size or --stripe");
            }
            return edit(changing, tree, "policy", path, asGiven(fields));
        }

        /** Null stands for the standard. */
        @SuppressWarnings("NullAway") // JSON has null, Map<String, Object> has no word for it.
        private static Map<String, Object> asGiven(Map<String, @Nullable Object> fields) {
            return new LinkedHashMap<>(fields);
        }

        private static @Nullable Long number(String option, String text) {
            if (text.equals(STANDARD)) {
                return null;
            }
            if (!text.matches("[0-9]{1,9}")) {
                throw new CommandException(
                        ExitCode.USAGE,
                        option + " '" + text + "' is neither a number nor 'standard'");
            }
            return Long.valueOf(text);
        }
    }
}
