package io.cairn.cli.admin;

import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Calls;
import io.cairn.cli.api.Changing;
import io.cairn.cli.api.Reading;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code cairn admin sessions}: mounts, gateways and tools that are connected. */
@Command(
        name = "sessions",
        description = "List the sessions: mounts, gateways and tools.",
        synopsisSubcommandLabel = "[COMMAND]",
        footer = {
            "  cairn admin sessions",
            "  cairn admin sessions show 00000000000000a1     # what it has open and locked",
            "  cairn admin sessions evict 00000000000000a1"
        })
@Calls("GET /sessions")
final class AdminSessionsCommand implements Callable<Integer> {
    @Mixin private Reading reading = new Reading();

    @Override
    public Integer call() {
        return reading.list(
                ApiRequest.of("GET /sessions"),
                "id address since lease.leftMs:lease openFiles:open client");
    }

    @Command(
            name = "show",
            description = "Show a session with its open files and locks.",
            footer = "  cairn admin sessions show 00000000000000a1")
    @Calls("GET /sessions/{id}")
    int show(
            @Parameters(paramLabel = "ID", description = "As listed.") String id,
            @Mixin Reading asked) {
        return asked.show(ApiRequest.of("GET /sessions/{id}", id));
    }

    @Command(
            name = "evict",
            description = "End a session: its locks are freed, what it has not stored is lost.",
            footer = "  cairn admin sessions evict 00000000000000a1 --plan")
    @Calls("DELETE /sessions/{id}")
    int evict(
            @Parameters(paramLabel = "ID", description = "As listed.") String id,
            @Mixin Changing changing) {
        return changing.done(
                changing.applyWithConsent(ApiRequest.of("DELETE /sessions/{id}", id)),
                "session " + id + " is evicted");
    }
}
