package io.cairn.cli.admin;

import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Calls;
import io.cairn.cli.api.Changing;
import io.cairn.cli.api.Reading;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands about where data is kept: targets, pools, placement groups. */
final class AdminTopology {
    private AdminTopology() {}

    /** {@code cairn admin targets}: the storage directories of chunk servers. */
    @Command(
            name = "targets",
            description = "List the targets: storage directories of chunk servers, a disk each.",
            synopsisSubcommandLabel = "[COMMAND]",
            footer = {
                "  cairn admin targets",
                "  cairn admin targets drain 3 --plan",
                "  cairn admin targets remove 3"
            })
    @Calls("GET /targets")
    static final class Targets implements Callable<Integer> {
        @Mixin private Reading reading = new Reading();

        @Override
        public Integer call() {
            return reading.list(
                    ApiRequest.of("GET /targets"),
                    "id server directory state draining capacityBytes:capacity usedBytes:used"
                            + " freeBytes:free compressionSavedBytes:saved"
                            + " load.readBytesPerSecond:read"
                            + " load.writtenBytesPerSecond:written load.errors:errors chunks"
                            + " scrub.verifiedAt:verified"
                            + " groups groupsHeaded:headed identity");
        }

        @Command(
                name = "show",
                description = "Show a target.",
                footer = "  cairn admin targets show 3")
        @Calls("GET /targets/{id}")
        int show(
                @Parameters(paramLabel = "ID", description = "As listed.") String id,
                @Mixin Reading asked) {
            return asked.show(ApiRequest.of("GET /targets/{id}", id));
        }

        @Command(
                name = "drain",
                description = {
                    "Empty a target: what it holds moves to others.",
                    "It goes on while the command ends. Nothing is short of a copy meanwhile."
                },
                footer = {
                    "  cairn admin targets drain 3 --plan",
                    "  cairn admin targets drain 3 --yes"
                })
        @Calls("POST /targets/{id}/drain")
        int drain(
                @Parameters(paramLabel = "ID", description = "As listed.") String id,
                @Mixin ForceOption force,
                @Mixin Changing changing) {
            ApiRequest request = ApiRequest.of("POST /targets/{id}/drain", id);
            return changing.done(
                    changing.applyWithConsent(request.body(force.body())),
                    "target " + id + " drains: see 'cairn admin targets show " + id + "'");
        }

        @Command(
                name = "undrain",
                description = "Use a target again; what has moved away stays there.",
                footer = "  cairn admin targets undrain 3")
        @Calls("POST /targets/{id}/undrain")
        int undrain(
                @Parameters(paramLabel = "ID", description = "As listed.") String id,
                @Mixin Changing changing) {
            return changing.done(
                    changing.apply(ApiRequest.of("POST /targets/{id}/undrain", id)),
                    "target " + id + " is in use");
        }

        @Command(
                name = "remove",
                description = "Forget a target that is empty and that its server lacks.",
                footer = "  cairn admin targets remove 3")
        @Calls("DELETE /targets/{id}")
        int remove(
                @Parameters(paramLabel = "ID", description = "As listed.") String id,
                @Mixin Changing changing) {
            return changing.done(
                    changing.applyWithConsent(ApiRequest.of("DELETE /targets/{id}", id)),
                    "target " + id + " is forgotten");
        }
    }

    /** {@code cairn admin pools}. */
    @Command(
            name = "pools",
            description = "List the pools: groups of the same number of copies.",
            synopsisSubcommandLabel = "[COMMAND]",
            footer = "  cairn admin pools")
    @Calls("GET /pools")
    static final class Pools implements Callable<Integer> {
        @Mixin private Reading reading = new Reading();

        @Override
        public Integer call() {
            return reading.list(
                    ApiRequest.of("GET /pools"),
                    "id replicas compression labels key groups firstGroup groupsAtRisk:at-risk"
                            + " groupsUnavailable:unavailable takesNewFiles:new-files");
        }

        @Command(name = "show", description = "Show a pool.", footer = "  cairn admin pools show 1")
        @Calls("GET /pools/{id}")
        int show(
                @Parameters(paramLabel = "ID", description = "As listed.") String id,
                @Mixin Reading asked) {
            return asked.show(ApiRequest.of("GET /pools/{id}", id));
        }
    }

    /** {@code cairn admin groups}. */
    @Command(
            name = "groups",
            description = "List the placement groups: which targets keep the same chunks.",
            synopsisSubcommandLabel = "[COMMAND]",
            footer = {"  cairn admin groups --at-risk", "  cairn admin groups --target 3"})
    @Calls("GET /groups")
    static final class Groups implements Callable<Integer> {
        @Mixin private Reading reading = new Reading();

        @Option(names = "--at-risk", description = "Only those short of a copy.")
        private boolean atRisk;

        @Option(
                names = "--state",
                paramLabel = "STATE",
                description = "Only those: complete, syncing, degraded, unavailable.")
        private @Nullable String state;

        @Option(names = "--target", paramLabel = "ID", description = "Only those with this target.")
        private @Nullable Integer target;

        @Option(names = "--pool", paramLabel = "ID", description = "Only those of this pool.")
        private @Nullable Integer pool;

        @Override
        public Integer call() {
            if (atRisk && state != null) {
                throw new CommandException(
                        ExitCode.USAGE, "--at-risk and --state do not go together");
            }
            return reading.list(
                    ApiRequest.of("GET /groups")
                            .query("state", atRisk ? "atRisk" : state)
                            .query("target", target)
                            .query("pool", pool),
                    "id pool state epoch head members");
        }

        @Command(
                name = "show",
                description = "Show a placement group.",
                footer = "  cairn admin groups show 17")
        @Calls("GET /groups/{id}")
        int show(
                @Parameters(paramLabel = "ID", description = "As listed.") String id,
                @Mixin Reading asked) {
            return asked.show(ApiRequest.of("GET /groups/{id}", id));
        }
    }
}
