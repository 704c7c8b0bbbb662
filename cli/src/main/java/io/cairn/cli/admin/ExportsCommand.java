package io.cairn.cli.admin;

import io.cairn.cli.api.ApiOptions;
import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Calls;
import io.cairn.cli.api.Changing;
import io.cairn.cli.api.Reading;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cairn exports}: the rules by which masters let mounts in. */
@Command(
        name = "exports",
        description = {
            "List the mount rules: which addresses may mount which tree, and how.",
            "The masters enforce them on every request. Without any rule, everybody who reaches",
            "the masters may mount all. For clients of NFS gateways see cairn nfs exports."
        },
        synopsisSubcommandLabel = "[COMMAND]",
        footer = {
            "  cairn exports",
            "  cairn exports add '/ 127.0.0.1(rw)'",
            "  cairn exports add '/projects 10.0.0.0/8(rw,maproot=65534,deny=rmdir)'",
            "  cairn exports test 10.0.0.7",
            "  cairn exports remove '/ 127.0.0.1(rw)'"
        })
@Calls("GET /mount-rules")
public final class ExportsCommand implements Callable<Integer> {
    @Mixin private Reading reading = new Reading();

    @Override
    public Integer call() {
        return list(reading);
    }

    @Command(
            name = "list",
            description = "List the mount rules in order; the first that fits decides.",
            footer = "  cairn exports list")
    @Calls("GET /mount-rules")
    int list(@Mixin Reading asked) {
        return asked.show(
                ApiRequest.of("GET /mount-rules"),
                document ->
                        Boolean.FALSE.equals(document.get("enforced"))
                                ? List.of("no rules: everybody who reaches the masters may mount")
                                : asked.table("number rule exists")
                                        .lines(ApiOptions.items(document)));
    }

    @Command(
            name = "add",
            description = {
                "Add a mount rule behind the others. Options: ro (unless told) or rw,",
                "maproot=UID:GID or mapall=UID:GID, deny=OPERATION:OPERATION..., sessions=N."
            },
            footer = "  cairn exports add '/projects 10.0.0.0/8,fd00::/8(rw,sessions=20)' --at 1")
    @Calls("POST /mount-rules")
    int add(
            @Parameters(
                            paramLabel = "'PATH ADDRESSES(OPTION,...)'",
                            description = "The tree, who may mount it (* for all), and how.")
                    String rule,
            @Option(
                            names = "--at",
                            paramLabel = "N",
                            description = "Its place among the rules, from 1 on (default: last).")
                    @Nullable Integer at,
            @Mixin Changing changing) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("rule", rule);
        if (at != null) {
            body.put("at", at);
        }
        return changing.done(
                changing.applyWithConsent(ApiRequest.of("POST /mount-rules").body(body)),
                "added; it holds at once, for open sessions too");
    }

    @Command(
            name = "remove",
            description = "Remove a mount rule.",
            footer = "  cairn exports remove '/projects 10.0.0.0/8(ro)'")
    @Calls("DELETE /mount-rules")
    int remove(
            @Parameters(paramLabel = "RULE", description = "As listed.") String rule,
            @Mixin Changing changing) {
        return changing.done(
                changing.applyWithConsent(ApiRequest.of("DELETE /mount-rules").query("rule", rule)),
                "removed; it holds at once, for open sessions too");
    }

    @Command(
            name = "test",
            description = "Show the rules for an address, in order.",
            footer = "  cairn exports test 10.0.0.7")
    @Calls("GET /mount-rules/test")
    int test(
            @Parameters(paramLabel = "ADDRESS", description = "In digits.") String address,
            @Parameters(
                            paramLabel = "NAME",
                            arity = "0..1",
                            description = "The name of its certificate, if it has one.")
                    @Nullable String name,
            @Mixin Reading asked) {
        return asked.show(
                ApiRequest.of("GET /mount-rules/test")
                        .query("address", address)
                        .query("name", name),
                document -> {
                    if (ApiOptions.items(document).isEmpty()) {
                        return List.of(
                                Boolean.TRUE.equals(document.get("allowed"))
                                        ? "may mount all: there are no rules"
                                        : "refused: no rule is for it");
                    }
                    return asked.table("number rule exists").lines(ApiOptions.items(document));
                });
    }
}
