package io.cairn.cli.admin;

import io.cairn.cli.api.ApiAnswer;
import io.cairn.cli.api.ApiOptions;
import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Calls;
import io.cairn.cli.api.Changing;
import io.cairn.cli.api.Reading;
import io.cairn.cli.option.TypedPassword;
import io.cairn.identity.scram.ScramVerifier;
import java.security.SecureRandom;
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
            "  cairn exports passwd alice",
            "  cairn exports add '/home/alice *(rw)' --user alice",
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
                "maproot=UID:GID or mapall=UID:GID, deny=OPERATION:OPERATION..., user=NAME,",
                "sessions=N."
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
            @Option(
                            names = "--user",
                            paramLabel = "NAME",
                            description = "Only for this user, who logs in with a password.")
                    @Nullable String user,
            @Mixin Changing changing) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("rule", rule);
        if (at != null) {
            body.put("at", at);
        }
        if (user != null) {
            body.put("user", user);
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
            name = "users",
            description = "List the users that can mount with a password.",
            footer = "  cairn exports users")
    @Calls("GET /mount-users")
    int users(@Mixin Reading asked) {
        return asked.show(
                ApiRequest.of("GET /mount-users"),
                document ->
                        ApiOptions.items(document).isEmpty()
                                ? List.of("no users: nobody can mount with a password")
                                : asked.table("name rules").lines(ApiOptions.items(document)));
    }

    @Command(
            name = "passwd",
            description = {
                "Give a user a password, which is asked for on the terminal, or read as the first",
                "line of the standard input. The cluster keeps enough to recognize it, and not",
                "the password."
            },
            footer = {"  cairn exports passwd alice", "  cairn exports passwd alice --remove"})
    @Calls({"POST /mount-users", "DELETE /mount-users"})
    int passwd(
            @Parameters(paramLabel = "NAME", description = "The user.") String name,
            @Option(names = "--remove", description = "Take the password away, and the user.")
                    boolean remove,
            @Mixin Changing changing) {
        if (remove) {
            return changing.done(
                    changing.applyWithConsent(
                            ApiRequest.of("DELETE /mount-users").query("name", name)),
                    "removed; mounts with this password stop");
        }
        byte[] salt = new byte[ScramVerifier.SALT_BYTES];
        new SecureRandom().nextBytes(salt);
        ScramVerifier verifier =
                ScramVerifier.of(TypedPassword.fresh(name), salt, ScramVerifier.ITERATIONS);
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("name", name);
        body.put("verifier", verifier.text());
        ApiAnswer answer = changing.apply(ApiRequest.of("POST /mount-users").body(body));
        return changing.done(
                answer,
                answer == null || hasRule(answer, name)
                        ? "set; it holds at once"
                        : "set; no mount rule names %s yet: cairn exports add RULE --user %s"
                                .formatted(name, name));
    }

    private static boolean hasRule(ApiAnswer answer, String user) {
        return ApiOptions.items(answer.document()).stream()
                .anyMatch(
                        each ->
                                each instanceof Map<?, ?> item
                                        && user.equals(item.get("name"))
                                        && item.get("rules") instanceof Number rules
                                        && rules.longValue() > 0);
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
            @Option(
                            names = "--user",
                            paramLabel = "NAME",
                            description = "The user that logs in there with a password.")
                    @Nullable String user,
            @Mixin Reading asked) {
        return asked.show(
                ApiRequest.of("GET /mount-rules/test")
                        .query("address", address)
                        .query("name", name)
                        .query("user", user),
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
