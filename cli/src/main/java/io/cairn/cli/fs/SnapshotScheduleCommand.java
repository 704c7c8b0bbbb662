package io.cairn.cli.fs;

import io.cairn.base.Spelling;
import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Calls;
import io.cairn.cli.api.Changing;
import io.cairn.cli.api.Reading;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code cairn snapshot schedule}: snapshots that the masters take by themselves. */
@Command(
        name = "schedule",
        description = {
            "List the schedules: snapshots that the masters take by themselves.",
            "The oldest of each kind are dropped. Times are in UTC."
        },
        synopsisSubcommandLabel = "[COMMAND]",
        footer = {
            "  cairn snapshot schedule set /projects hourly=24,daily=7",
            "  cairn snapshot schedule",
            "  cairn snapshot schedule remove /projects"
        })
@Calls("GET /snapshot-schedules")
public final class SnapshotScheduleCommand implements Callable<Integer> {
    private static final String COLUMNS =
            "directory schedule class snapshotCount:snapshots lastAt:last nextAt:next error";
    private static final List<String> KINDS = List.of("hourly", "daily", "weekly", "monthly");

    @Mixin private Reading reading = new Reading();

    @Override
    public Integer call() {
        return reading.list(ApiRequest.of("GET /snapshot-schedules"), COLUMNS);
    }

    @Command(
            name = "list",
            description = "List all schedules, as without a command.",
            footer = "  cairn snapshot schedule list --json")
    @Calls("GET /snapshot-schedules")
    int list(@Mixin Reading listing) {
        return listing.list(ApiRequest.of("GET /snapshot-schedules"), COLUMNS);
    }

    @Command(
            name = "set",
            description = {
                "Have snapshots of a directory taken, and so many of each kind kept.",
                "The first ones are taken at once, weekly ones on Mondays, monthly ones on the"
                        + " first."
            },
            footer = {
                "  cairn snapshot schedule set /projects hourly=24,daily=7,weekly=4,monthly=12",
                "  cairn snapshot schedule set /projects daily=30 --plan"
            })
    @Calls("PUT /snapshot-schedules/{path}")
    int set(
            @Parameters(index = "0", paramLabel = "DIR", description = SnapshotCommand.DIRECTORY)
                    String path,
            @Parameters(
                            index = "1",
                            paramLabel = "KIND=N,...",
                            description = "Kinds are hourly, daily, weekly and monthly.")
                    String counts,
            @Mixin Changing changing) {
        Map<String, Object> body = parse(counts);
        ClusterPath place = ClusterPath.of(path).checked(changing);
        return changing.done(
                changing.apply(
                        ApiRequest.of("PUT /snapshot-schedules/{path}", place.text()).body(body)),
                "snapshots of " + place.text() + " are taken: " + counts);
    }

    @Command(
            name = "remove",
            description = "End a schedule; the snapshots that were taken stay.",
            footer = "  cairn snapshot schedule remove /projects")
    @Calls("DELETE /snapshot-schedules/{path}")
    int remove(
            @Parameters(index = "0", paramLabel = "DIR", description = SnapshotCommand.DIRECTORY)
                    String path,
            @Mixin Changing changing) {
        ClusterPath place = ClusterPath.of(path).checked(changing);
        return changing.done(
                changing.apply(ApiRequest.of("DELETE /snapshot-schedules/{path}", place.text())),
                "no more snapshots of " + place.text() + " are taken; those there stay");
    }

    /** The counts of {@code hourly=24,daily=7}, by kind; fails with USAGE. */
    static Map<String, Object> parse(String text) {
        Map<String, Object> counts = new LinkedHashMap<>();
        for (String part : text.split(",", -1)) {
            int equals = part.indexOf('=');
            if (equals < 0) {
                throw wrong("'" + part + "' is no KIND=N, such as hourly=24,daily=7");
            }
            String kind = part.substring(0, equals);
            if (!KINDS.contains(kind)) {
                throw wrong(
                        "there is no kind '%s' of snapshots: there are hourly, daily, weekly and"
                                        .formatted(kind)
                                + " monthly."
                                + Spelling.hint(KINDS, kind));
            }
            if (counts.put(kind, number(kind, part.substring(equals + 1))) != null) {
                throw wrong("'" + kind + "' is said twice: give it once");
            }
        }
        return counts;
    }

    private static long number(String kind, String text) {
        long number;
        try {
            number = Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw wrong("'" + kind + "=" + text + "' is no whole number, such as " + kind + "=7");
        }
        if (number < 1) {
            throw wrong(
                    "'%s=%s' keeps none: give 1 or more, or leave '%s' out"
                            .formatted(kind, text, kind));
        }
        return number;
    }

    private static CommandException wrong(String sentence) {
        return new CommandException(ExitCode.USAGE, sentence);
    }
}
