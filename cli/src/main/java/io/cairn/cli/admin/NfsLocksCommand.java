package io.cairn.cli.admin;

import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Calls;
import io.cairn.cli.api.Changing;
import io.cairn.cli.api.Reading;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code cairn nfs locks}: the machines that hold locks over NFS. */
@Command(
        name = "locks",
        description = {
            "List the machines that hold locks over NFS: name, address, the address of the gateway"
                    + " that they called last, how many locks they hold and await, and since when.",
            "Locks outlive gateways. Those of a machine that never comes back stay"
                    + " until somebody releases them. Never do it to one that lives: it"
                    + " would go on as if it had them."
        },
        synopsisSubcommandLabel = "[COMMAND]",
        footer = {
            "  cairn nfs locks",
            "  cairn nfs locks release 10.0.0.7",
            "  cairn nfs locks release oldhost --plan"
        })
@Calls("GET /locks")
public final class NfsLocksCommand implements Callable<Integer> {
    private static final String COLUMNS = "name address server held waiting since";

    @Mixin private Reading reading = new Reading();

    @Override
    public Integer call() {
        return reading.list(ApiRequest.of("GET /locks"), COLUMNS);
    }

    @Command(
            name = "list",
            description = "List the machines that hold locks, as without a command.",
            footer = "  cairn nfs locks list --json")
    @Calls("GET /locks")
    int list(@Mixin Reading listing) {
        return listing.list(ApiRequest.of("GET /locks"), COLUMNS);
    }

    @Command(
            name = "release",
            description = "Release all locks of a machine.",
            footer = "  cairn nfs locks release 10.0.0.7")
    @Calls("DELETE /locks")
    int release(
            @Parameters(paramLabel = "HOST", description = "Its name or address, as listed.")
                    String name,
            @Mixin Changing changing) {
        return changing.done(
                changing.applyWithConsent(ApiRequest.of("DELETE /locks").query("host", name)),
                "released all locks of " + name);
    }
}
