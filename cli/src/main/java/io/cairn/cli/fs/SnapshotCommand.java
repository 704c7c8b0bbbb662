package io.cairn.cli.fs;

import io.cairn.base.Wording;
import io.cairn.cli.api.ApiOptions;
import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Calls;
import io.cairn.cli.api.Changing;
import io.cairn.cli.api.Reading;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cairn snapshot}: states of directories that are kept. */
@Command(
        name = "snapshot",
        description = {
            "List the snapshots: directories whose state at a moment is kept.",
            "They are in DIR/.snapshots/NAME of each mount, and never change."
        },
        synopsisSubcommandLabel = "[COMMAND]",
        subcommands = {SnapshotScheduleCommand.class, SnapshotRestoreCommand.class},
        footer = {
            "  cairn snapshot create /projects monday",
            "  ls /mnt/cairn/projects/.snapshots/monday",
            "  cairn snapshot drop /projects monday"
        })
@Calls("GET /snapshots")
public final class SnapshotCommand implements Callable<Integer> {
    private static final String COLUMNS = "directory name createdAt:created state";
    private static final String HELD = "directory name createdAt:created heldBytes:held";
    private static final String NOW = "now";

    /** What a directory is. */
    static final String DIRECTORY = "Below a mount, or as in the cluster.";

    @Mixin private Reading reading = new Reading();

    @Override
    public Integer call() {
        return reading.list(ApiRequest.of("GET /snapshots"), COLUMNS);
    }

    @Command(
            name = "list",
            description = {
                "List all snapshots, as without a command.",
                "With --held it counts what each of them alone holds, which dropping it frees."
            },
            footer = {"  cairn snapshot list --json", "  cairn snapshot list --held"})
    @Calls({"GET /snapshots", "GET /snapshot-space"})
    int list(
            @Option(names = "--held", description = "Count space: reads all that snapshots keep.")
                    boolean isCounting,
            @Mixin Reading listing) {
        return isCounting
                ? listing.show(
                        ApiRequest.of("GET /snapshot-space"), document -> held(listing, document))
                : listing.list(ApiRequest.of("GET /snapshots"), COLUMNS);
    }

    private static List<String> held(Reading listing, Map<String, Object> document) {
        List<?> items = ApiOptions.items(document, "snapshots");
        if (items.isEmpty()) {
            return List.of("none");
        }
        List<String> lines = new ArrayList<>(listing.table(HELD).lines(items));
        long bytes = document.get("heldBytes") instanceof Number number ? number.longValue() : 0;
        lines.add("all together hold " + Wording.bytes(bytes));
        return lines;
    }

    @Command(
            name = "create",
            description = "Keep the state that a directory has now.",
            footer = "  cairn snapshot create /projects before-upgrade")
    @Calls("POST /snapshots")
    int create(
            @Parameters(index = "0", paramLabel = "DIR", description = DIRECTORY) String path,
            @Parameters(index = "1", paramLabel = "NAME", description = "Of the snapshot.")
                    String name,
            @Mixin Changing changing) {
        ClusterPath place = ClusterPath.of(path).checked(changing);
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("directory", place.text());
        body.put("name", name);
        return changing.done(
                changing.apply(ApiRequest.of("POST /snapshots").body(body)),
                "snapshot " + name + " is in " + list(place));
    }

    /** Where the snapshots of a directory are. */
    static String list(ClusterPath place) {
        return (place.text().equals("/") ? "" : place.text()) + "/.snapshots";
    }

    @Command(
            name = "drop",
            description = "Forget a snapshot; its space is freed soon afterwards.",
            footer = "  cairn snapshot drop /projects before-upgrade")
    @Calls({"GET /snapshots", "DELETE /snapshots/{number}"})
    int drop(
            @Parameters(index = "0", paramLabel = "DIR", description = DIRECTORY) String path,
            @Parameters(index = "1", paramLabel = "NAME", description = "As listed.") String name,
            @Mixin Changing changing) {
        ClusterPath place = ClusterPath.of(path).checked(changing);
        return changing.done(
                changing.applyWithConsent(
                        ApiRequest.of("DELETE /snapshots/{number}", number(place, name, changing))),
                "snapshot " + name + " of " + place.text() + " is dropped");
    }

    @Command(
            name = "diff",
            description = {
                "Show the paths that differ since a snapshot.",
                "A file with several names is told under the first one."
            },
            footer = {
                "  cairn snapshot diff /projects monday",
                "  cairn snapshot diff /projects monday tuesday"
            })
    @Calls({"GET /snapshots", "GET /snapshots/{number}/changes"})
    int diff(
            @Parameters(index = "0", paramLabel = "DIR", description = DIRECTORY) String path,
            @Parameters(index = "1", paramLabel = "NAME", description = "As listed.") String name,
            @Parameters(
                            index = "2",
                            paramLabel = "LATER",
                            arity = "0..1",
                            defaultValue = NOW,
                            description = "Another snapshot (default: ${DEFAULT-VALUE}).")
                    String later,
            @Mixin Reading listing) {
        ClusterPath place = ClusterPath.of(path).checked(listing);
        ApiRequest changes =
                ApiRequest.of("GET /snapshots/{number}/changes", number(place, name, listing));
        return listing.list(
                later.equals(NOW) ? changes : changes.query("until", number(place, later, listing)),
                "change path before type");
    }

    /** The number of a snapshot of a directory, as text. */
    private static String number(ClusterPath place, String name, ApiOptions options) {
        String directory = place.text();
        @Nullable Object after = null;
        do {
            Map<String, Object> page =
                    options.ask(
                                    ApiRequest.of("GET /snapshots")
                                            .query("limit", "1000")
                                            .query("after", after))
                            .document();
            for (Object each : ApiOptions.items(page)) {
                if (each instanceof Map<?, ?> found
                        && directory.equals(found.get("directory"))
                        && name.equals(found.get("name"))
                        && !"dropped".equals(found.get("state"))) {
                    return String.valueOf(found.get("number"));
                }
            }
            after = page.get("next");
        } while (after != null);
        throw new CommandException(
                ExitCode.USAGE,
                "'" + directory + "' has no snapshot '" + name + "': 'cairn snapshot' lists all");
    }
}
