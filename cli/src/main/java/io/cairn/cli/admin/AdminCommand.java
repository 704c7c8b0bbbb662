package io.cairn.cli.admin;

import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Calls;
import io.cairn.cli.api.Reading;
import io.cairn.cli.doctor.AdminBundleCommand;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.util.concurrent.Callable;
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
            DurabilityCommand.class,
            AdminScrubCommand.class,
            AdminSessionsCommand.class,
            AdminJobsCommand.class,
            AdminEventsCommand.class,
            AdminConfigCommand.class,
            AdminTokensCommand.class,
            AdminBackupCommand.class,
            AdminBundleCommand.class
        },
        footer = {
            "  cairn admin load --limit 12 --watch 5",
            "  cairn admin servers --api https://10.0.0.1:9870 --ca ca.pem --token-file token",
            "  cairn admin groups --at-risk",
            "  cairn admin sessions evict 00000000000000a1 --plan",
            "  cairn admin backup /backup/cairn-metadata",
            "  cairn admin bundle --masters 10.0.0.1:9871     # what a fault report needs",
            "",
            "Who knows MooseFS: cairn help moosefs."
        })
public final class AdminCommand implements Callable<Integer> {
    @Override
    public Integer call() {
        throw new CommandException(
                ExitCode.USAGE,
                "a command is missing: cairn admin servers, groups ...; see --help");
    }

    @Command(
            name = "load",
            description = {
                "Show how busy the cluster was in the last ten minutes, a line for every 5"
                        + " seconds.",
                "Bytes are those of clients; - is what the leader does not know."
            },
            footer = "  cairn admin load --limit 12 --watch 5")
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

    @Command(
            name = "slow",
            description = {
                "Show the slowest mutations of the last five minutes, and where the leading master"
                        + " spent their time.",
                "queue: until they were part of an entry of the log; log: until a majority had the"
                        + " entry on its disks; apply: until RocksDB had it.",
                "'cairn why' shows the same of the mounts of a machine."
            },
            footer = "  cairn admin slow --limit 20")
    @Calls("GET /slow")
    int slow(@Mixin Reading reading) {
        return reading.list(
                ApiRequest.of("GET /slow"),
                "type totalMs:total queueMs:queue logMs:log applyMs:apply agoMs:ago client");
    }

    @Command(
            name = "audit",
            description = "List who changed what, the last change first.",
            footer = "  cairn admin audit --limit 20")
    @Calls("GET /audit")
    int audit(@Mixin Reading reading) {
        return reading.list(ApiRequest.of("GET /audit"), "at token address call what result");
    }

    @Command(
            name = "openapi",
            description = "Print the description of the API (OpenAPI 3).",
            footer = "  cairn admin openapi > openapi.json")
    @Calls("GET /openapi.json")
    int openapi(@Mixin Reading reading) {
        reading.printDocument(reading.ask(ApiRequest.of("GET /openapi.json")).text());
        return ExitCode.OK;
    }
}
