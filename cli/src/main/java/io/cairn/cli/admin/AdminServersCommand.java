package io.cairn.cli.admin;

import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Calls;
import io.cairn.cli.api.Changing;
import io.cairn.cli.api.Reading;
import io.cairn.cli.option.KeyValue;
import io.cairn.cli.option.TimeSpan;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cairn admin servers}: the chunk servers and their labels. */
@Command(
        name = "servers",
        description = "List the chunk servers.",
        synopsisSubcommandLabel = "[COMMAND]",
        footer = {
            "  cairn admin servers",
            "  cairn admin servers label c1 rack=r7 room=     # sets one label, removes another",
            "  cairn admin servers drain c1 --plan",
            "  cairn admin servers maintenance c1 --for 30m"
        })
@Calls("GET /servers")
final class AdminServersCommand implements Callable<Integer> {
    @Mixin private Reading reading = new Reading();

    @Override
    public Integer call() {
        return reading.list(
                ApiRequest.of("GET /servers"),
                "name state address targets capacityBytes:capacity freeBytes:free"
                        + " load.readBytesPerSecond:read load.writtenBytesPerSecond:written"
                        + " load.errors:errors maintenanceUntil:maintenance labels");
    }

    @Command(
            name = "show",
            description = "Show a chunk server.",
            footer = "  cairn admin servers show c1")
    @Calls("GET /servers/{name}")
    int show(
            @Parameters(paramLabel = "NAME", description = "As listed.") String name,
            @Mixin Reading asked) {
        return asked.show(ApiRequest.of("GET /servers/{name}", name));
    }

    @Command(
            name = "label",
            description = "Set labels; the others stay.",
            footer =
                    "  cairn admin servers label c1 rack=r7 room=    # sets one label, removes"
                            + " another")
    @Calls({"GET /servers/{name}", "PATCH /servers/{name}"})
    int label(
            @Parameters(index = "0", paramLabel = "NAME", description = "As listed.") String name,
            @Parameters(
                            index = "1..*",
                            arity = "1..*",
                            paramLabel = "KEY=VALUE",
                            description = "An empty value removes the label.")
                    List<String> labels,
            @Mixin Changing changing) {
        Map<String, Object> wanted = new LinkedHashMap<>();
        if (changing.ask(ApiRequest.of("GET /servers/{name}", name)).document().get("labels")
                instanceof Map<?, ?> present) {
            present.forEach((key, value) -> wanted.put(String.valueOf(key), value));
        }
        KeyValue.parse(labels)
                .forEach(
                        each -> {
                            wanted.remove(each.key());
                            if (!each.value().isEmpty()) {
                                wanted.put(each.key(), each.value());
                            }
                        });
        ApiRequest request =
                ApiRequest.of("PATCH /servers/{name}", name).body(Map.of("labels", wanted));
        return changing.done(changing.apply(request), name + " is labelled");
    }

    @Command(
            name = "drain",
            description = {
                "Empty a chunk server: what its targets hold moves to others.",
                "It goes on while the command ends. Nothing is short of a copy meanwhile."
            },
            footer = {
                "  cairn admin servers drain c1 --plan",
                "  cairn admin servers drain c1 --force 'c9 comes on Monday'"
            })
    @Calls("POST /servers/{name}/drain")
    int drain(
            @Parameters(paramLabel = "NAME", description = "As listed.") String name,
            @Mixin ForceOption force,
            @Mixin Changing changing) {
        ApiRequest request = ApiRequest.of("POST /servers/{name}/drain", name);
        return changing.done(
                changing.applyWithConsent(request.body(force.body())),
                name + " drains: see 'cairn admin targets'");
    }

    @Command(
            name = "undrain",
            description = "Use a chunk server again; what has moved away stays there.",
            footer = "  cairn admin servers undrain c1")
    @Calls("POST /servers/{name}/undrain")
    int undrain(
            @Parameters(paramLabel = "NAME", description = "As listed.") String name,
            @Mixin Changing changing) {
        return changing.done(
                changing.apply(ApiRequest.of("POST /servers/{name}/undrain", name)),
                name + " is in use");
    }

    @Command(
            name = "remove",
            description = "Forget a chunk server that is empty and stopped.",
            footer = "  cairn admin servers remove c1")
    @Calls("DELETE /servers/{name}")
    int remove(
            @Parameters(paramLabel = "NAME", description = "As listed.") String name,
            @Mixin Changing changing) {
        return changing.done(
                changing.applyWithConsent(ApiRequest.of("DELETE /servers/{name}", name)),
                name + " is forgotten");
    }

    @Command(
            name = "maintenance",
            description = {
                "Tell that a chunk server may be away for a while, or is back.",
                "Its groups are headed by others at once, and nothing of it is repaired elsewhere"
                        + " before the time is over."
            },
            footer = {
                "  cairn admin servers maintenance c1 --for 30m",
                "  cairn admin servers maintenance c1 --end"
            })
    @Calls({"POST /servers/{name}/maintenance", "DELETE /servers/{name}/maintenance"})
    int maintenance(
            @Parameters(paramLabel = "NAME", description = "As listed.") String name,
            @Option(
                            names = "--for",
                            paramLabel = "TIME",
                            description = "How long: 90s, 30m, 2h, up to 7d.")
                    @Nullable String time,
            @Option(names = "--end", description = "It is back.") boolean end,
            @Mixin Changing changing) {
        if (end == (time != null)) {
            throw new CommandException(ExitCode.USAGE, "say --for TIME, or --end");
        }
        ApiRequest request =
                time == null
                        ? ApiRequest.of("DELETE /servers/{name}/maintenance", name)
                        : ApiRequest.of("POST /servers/{name}/maintenance", name)
                                .body(Map.of("forSeconds", TimeSpan.seconds("--for", time)));
        return changing.done(
                changing.apply(request),
                name + (time == null ? " is back from maintenance" : " may be stopped now"));
    }
}
