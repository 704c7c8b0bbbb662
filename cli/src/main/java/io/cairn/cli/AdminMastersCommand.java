package io.cairn.cli;

import io.cairn.cli.api.ApiRequest;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code cairn admin masters}: who leads, and how far the others are. */
@Command(
        name = "masters",
        description = "List the masters: who leads, how far behind the others are.",
        synopsisSubcommandLabel = "[COMMAND]",
        footer = {
            "  cairn admin masters",
            "  cairn admin masters lead m2",
            "  cairn admin masters finish-upgrade --plan"
        })
@Calls("GET /masters")
final class AdminMastersCommand implements Callable<Integer> {
    @Mixin private Reading reading = new Reading();

    @Override
    public Integer call() {
        return reading.list(
                ApiRequest.of("GET /masters"),
                "id role state silentSince release term commitIndex:entries lagEntries:lag address"
                        + " raft");
    }

    @Command(
            name = "show",
            description = "Show a master.",
            footer = "  cairn admin masters show m1")
    @Calls("GET /masters/{id}")
    int show(
            @Parameters(paramLabel = "ID", description = "As listed.") String id,
            @Mixin Reading asked) {
        return asked.show(ApiRequest.of("GET /masters/{id}", id));
    }

    @Command(
            name = "lead",
            description = "Make a master lead.",
            footer = "  cairn admin masters lead m2 --plan")
    @Calls("POST /masters/{id}/lead")
    int lead(
            @Parameters(paramLabel = "ID", description = "As listed.") String id,
            @Mixin Changing changing) {
        return changing.done(
                changing.apply(ApiRequest.of("POST /masters/{id}/lead", id)),
                "master " + id + " leads");
    }

    @Command(
            name = "finish-upgrade",
            description = {
                "End a rolling upgrade: let the cluster use what all its masters understand.",
                "There is no step back to an older release behind it."
            },
            footer = "  cairn admin masters finish-upgrade --plan")
    @Calls("POST /cluster/level")
    int finishUpgrade(@Mixin Changing changing) {
        return changing.done(
                changing.applyWithConsent(ApiRequest.of("POST /cluster/level")),
                "the cluster uses what all its masters understand");
    }
}
