package io.cairn.cli;

import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Values;
import io.cairn.fs.Wording;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code cairn admin}: what administrators do, over the admin API of any master. */
@Command(
        name = "admin",
        description = {
            "Administer a cluster over the admin API of any master.",
            "Every command has --json; what changes something has --plan, which only tells."
        },
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            AdminMastersCommand.class,
            AdminServersCommand.class,
            AdminTopology.Targets.class,
            AdminTopology.Pools.class,
            AdminTopology.Groups.class,
            AdminSessionsCommand.class,
            AdminExportsCommand.class,
            AdminJobsCommand.class,
            AdminEventsCommand.class,
            AdminConfigCommand.class,
            AdminTokensCommand.class,
            AdminBundleCommand.class
        },
        footer = {
            "  cairn admin status --watch",
            "  cairn admin load --limit 12 --watch 5",
            "  cairn admin servers --api https://10.0.0.1:9870 --ca ca.pem --token-file token",
            "  cairn admin groups --at-risk",
            "  cairn admin sessions evict 00000000000000a1 --plan",
            "  cairn admin bundle --masters 10.0.0.1:9871     what a fault report needs",
            "",
            "Who knows MooseFS: cairn help moosefs."
        })
final class AdminCommand implements Callable<Integer> {
    @Override
    public Integer call() {
        throw new CommandException(
                ExitCode.USAGE,
                "a command is missing: cairn admin status, servers ...; see --help");
    }

    @Command(name = "status", description = "Show how the cluster is, and what to do about it.")
    @Calls("GET /cluster")
    int status(@Mixin Reading reading) {
        return reading.show(ApiRequest.of("GET /cluster"), d -> statusLines(d, reading.values()));
    }

    @Command(
            name = "load",
            description = {
                "Show how busy the cluster was in the last ten minutes, a line for every 5"
                        + " seconds.",
                "Bytes are those of clients; - is what the leader does not know."
            })
    @Calls("GET /load")
    int load(@Mixin Reading reading) {
        return reading.list(
                ApiRequest.of("GET /load"),
                "at readBytesPerSecond:read writtenBytesPerSecond:written"
                        + " diskReadBytesPerSecond:disks-read"
                        + " diskWrittenBytesPerSecond:disks-written readMs:read-in"
                        + " writeMs:write-in syncMs:sync-in operationsPerSecond:operations/s"
                        + " latencyMs:answered-in sessions");
    }

    @Command(name = "audit", description = "List who changed what, the last change first.")
    @Calls("GET /audit")
    int audit(@Mixin Reading reading) {
        return reading.list(ApiRequest.of("GET /audit"), "at token address call what result");
    }

    @Command(name = "openapi", description = "Print the description of the API (OpenAPI 3).")
    @Calls("GET /openapi.json")
    int openapi(@Mixin Reading reading) {
        reading.printDocument(reading.ask(ApiRequest.of("GET /openapi.json")).text());
        return ExitCode.OK;
    }

    private static List<String> statusLines(Map<String, Object> cluster, Values values) {
        Map<?, ?> health = map(cluster.get("health"));
        Map<?, ?> space = map(cluster.get("capacity"));
        Map<?, ?> counts = map(cluster.get("counts"));
        List<String> lines = new ArrayList<>();
        lines.add(
                "health    %s: %s"
                        .formatted(
                                values.text("level", health.get("level")),
                                values.text("sentence", health.get("sentence"))));
        if (health.get("reasons") instanceof List<?> reasons) {
            for (Object each : reasons) {
                Map<?, ?> reason = map(each);
                lines.add("          - " + values.text("what", reason.get("what")));
                lines.add("            " + values.text("remedy", reason.get("remedy")));
            }
        }
        lines.add(
                "cluster   %s, version %s, led by %s at %s"
                        .formatted(
                                values.text("clusterId", cluster.get("clusterId")),
                                values.text("version", cluster.get("version")),
                                values.text("leader", cluster.get("leader")),
                                values.text("leaderAddress", cluster.get("leaderAddress"))));
        lines.add(
                "space     %s can be written in %s; %s of %s on disks are free"
                        .formatted(
                                values.text("availableBytes", space.get("availableBytes")),
                                number(values, space, "standardReplicas", "copy"),
                                values.text("freeBytes", space.get("freeBytes")),
                                values.text("totalBytes", space.get("totalBytes"))));
        lines.add(
                "servers   %s of %s up, %s"
                        .formatted(
                                count(values, counts, "serversUp"),
                                count(values, counts, "servers"),
                                number(values, counts, "targets", "target")));
        lines.add(
                "groups    %s, %s at risk, %s unavailable"
                        .formatted(
                                count(values, counts, "groups"),
                                count(values, counts, "groupsAtRisk"),
                                count(values, counts, "groupsUnavailable")));
        lines.add(
                "use       %s, %s"
                        .formatted(
                                number(values, counts, "inodes", "inode"),
                                number(values, counts, "sessions", "session")));
        if (cluster.get("rates") instanceof Map<?, ?> rates) {
            lines.addAll(load(values, rates));
        }
        return lines;
    }

    private static List<String> load(Values values, Map<?, ?> rates) {
        return List.of(
                "load      clients read %s and write %s; the master does %s operations/s in %s each"
                        .formatted(
                                count(values, rates, "readBytesPerSecond"),
                                count(values, rates, "writtenBytesPerSecond"),
                                count(values, rates, "operationsPerSecond"),
                                count(values, rates, "latencyMs")),
                "disks     read %s, write %s; a read takes %s, a write %s, a sync %s"
                        .formatted(
                                count(values, rates, "diskReadBytesPerSecond"),
                                count(values, rates, "diskWrittenBytesPerSecond"),
                                count(values, rates, "readMs"),
                                count(values, rates, "writeMs"),
                                count(values, rates, "syncMs")));
    }

    private static String count(Values values, Map<?, ?> counts, String field) {
        return values.text(field, counts.get(field));
    }

    /** A number as values are written, with its noun. */
    private static String number(Values values, Map<?, ?> counts, String field, String one) {
        long number = counts.get(field) instanceof Number found ? found.longValue() : 0;
        return count(values, counts, field) + " " + Wording.noun(number, one);
    }

    private static Map<?, ?> map(@Nullable Object value) {
        return value instanceof Map<?, ?> map ? map : Map.of();
    }
}
