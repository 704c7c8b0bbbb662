package io.cairn.cli.admin;

import io.cairn.base.Printable;
import io.cairn.cli.api.ApiAnswer;
import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Calls;
import io.cairn.cli.api.Changing;
import io.cairn.cli.api.Reading;
import io.cairn.cli.api.Values;
import io.cairn.cli.option.KeyValue;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code cairn admin config}: settings of the cluster. */
@Command(
        name = "config",
        description = {
            "Show the settings of the cluster.",
            "logLevels are those of all masters ('cairn up': of the whole process). Chunk servers,",
            "gateways and mounts follow log-level in the file of their own --config."
        },
        synopsisSubcommandLabel = "[COMMAND]",
        footer = {
            "  cairn admin config get",
            "  cairn admin config set standardReplicas=3 logLevels.io.cairn.master=debug",
            "  cairn admin config set logLevels.io.cairn.master=     # as it was"
        })
@Calls("GET /configuration")
final class AdminConfigCommand implements Callable<Integer> {
    private static final String REPLICAS = "standardReplicas";

    private static final String LOG_LEVELS = "logLevels";

    @Mixin private Reading reading = new Reading();

    @Override
    public Integer call() {
        return show(reading);
    }

    /** With the keys that can be set, as they are. */
    private static int show(Reading reading) {
        return reading.show(
                ApiRequest.of("GET /configuration"),
                document -> {
                    Map<String, Object> flat = new LinkedHashMap<>();
                    document.forEach(
                            (name, value) -> {
                                if (value instanceof Map<?, ?> table) {
                                    table.forEach((key, each) -> flat.put(name + "." + key, each));
                                } else {
                                    flat.put(name, value);
                                }
                            });
                    int width = flat.keySet().stream().mapToInt(String::length).max().orElse(0);
                    return flat.entrySet().stream()
                            .map(e -> line(e.getKey(), width, reading.values(), e.getValue()))
                            .toList();
                });
    }

    private static String line(String key, int width, Values values, Object value) {
        return Printable.of(key) + " ".repeat(width - key.length() + 2) + values.text(key, value);
    }

    @Command(
            name = "get",
            description = "Show the settings of the cluster.",
            footer = "  cairn admin config get")
    @Calls("GET /configuration")
    int get(@Mixin Reading asked) {
        return show(asked);
    }

    @Command(
            name = "set",
            description = "Change some settings; the others stay.",
            footer = "  cairn admin config set standardReplicas=3 --plan")
    @Calls({"GET /configuration", "PATCH /configuration"})
    int set(
            @Parameters(
                            arity = "1..*",
                            paramLabel = "KEY=VALUE",
                            description =
                                    "KEY as shown; with a dot for what is in a table"
                                            + " (logLevels.LOGGER), whose entry an empty value"
                                            + " removes.")
                    List<String> settings,
            @Mixin Changing changing) {
        ApiAnswer present = changing.ask(ApiRequest.of("GET /configuration"));
        Map<String, Object> body = new LinkedHashMap<>();
        KeyValue.parse(settings).forEach(each -> put(body, present.document(), each));
        ApiRequest request =
                ApiRequest.of("PATCH /configuration").body(body).ifMatch(present.etag());
        boolean isFewer =
                body.get(REPLICAS) instanceof Number wanted
                        && present.document().get(REPLICAS) instanceof Number now
                        && wanted.longValue() < now.longValue();
        return changing.done(
                isFewer ? changing.applyWithConsent(request) : changing.apply(request),
                body.containsKey(LOG_LEVELS)
                        ? "set; log levels are those of the masters, other services have log-level"
                                + " in the files of their --config"
                        : "set");
    }

    private static void put(
            Map<String, Object> body, Map<String, Object> present, KeyValue setting) {
        int dot = setting.key().indexOf('.');
        if (dot < 0) {
            body.put(setting.key(), value(setting.value()));
            return;
        }
        String name = setting.key().substring(0, dot);
        Map<String, Object> table = new LinkedHashMap<>();
        Object known = body.getOrDefault(name, present.get(name));
        if (known instanceof Map<?, ?> entries) {
            entries.forEach((key, value) -> table.put(String.valueOf(key), value));
        }
        String key = setting.key().substring(dot + 1);
        table.remove(key);
        if (!setting.value().isEmpty()) {
            table.put(key, setting.value());
        }
        body.put(name, table);
    }

    private static Object value(String text) {
        if (text.matches("-?[0-9]{1,18}")) {
            return Long.valueOf(text);
        }
        return text.equals("true") || text.equals("false") ? Boolean.valueOf(text) : text;
    }
}
