package io.cairn.cli.admin;

import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Calls;
import io.cairn.cli.api.Changing;
import io.cairn.cli.api.Reading;
import io.cairn.cli.option.KeyValue;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code cairn admin servers}: the chunk servers and their labels. */
@Command(
        name = "servers",
        description = "List the chunk servers.",
        synopsisSubcommandLabel = "[COMMAND]",
        footer = {
            "  cairn admin servers",
            "  cairn admin servers label c1 rack=r7 room=     # sets one label, removes another"
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
                        + " load.errors:errors labels");
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
}
