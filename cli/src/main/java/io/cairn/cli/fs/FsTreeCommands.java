package io.cairn.cli.fs;

import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Calls;
import io.cairn.cli.api.Changing;
import io.cairn.cluster.Policy;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The commands that change files over the admin API: one inode at once, or a whole tree as a job of
 * the masters.
 */
final class FsTreeCommands {
    private FsTreeCommands() {}

    /** Sends an edit: to one inode, or as a job for the tree. */
    static int edit(
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
                description = "The whole tree; over the admin API as a job of the masters.")
        private boolean recursive;

        @Mixin private Ordering ordering = new Ordering();

        boolean isRecursive() {
            return recursive;
        }
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

    /** {@code cairn fs count}. */
    @Command(
            name = "count",
            description = "Count files by their copies in a tree: a job of the masters.",
            footer = {"  cairn fs count /projects"})
    @Calls({"POST /jobs", "GET /jobs/{id}"})
    static final class Count implements Callable<Integer> {
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
}
