package io.cairn.cli.admin;

import io.cairn.cli.api.ApiAnswer;
import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Calls;
import io.cairn.cli.api.Changing;
import io.cairn.cli.api.Reading;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cairn ca}: the certificate authority of a cluster. */
@Command(
        name = "ca",
        description = {
            "Say which processes may speak in a cluster that was founded with --tls.",
            "Each has a certificate with its role and name; it gets the first one for a token."
        },
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "  cairn ca join-token --role chunk --name c5",
            "  cairn ca list",
            "  cairn ca revoke chunk.c5",
            "  cairn ca rotate"
        })
public final class CaCommand implements Callable<Integer> {
    @Override
    public Integer call() {
        throw new CommandException(
                ExitCode.USAGE,
                "a command is missing: cairn ca join-token, list, revoke, authorities, rotate or"
                        + " drop-former; see --help");
    }

    @Command(
            name = "join-token",
            description = {
                "Print a token for one process, good once: it joins with --join TOKEN.",
                "Whoever holds the token can become that process until it is used or expires."
            },
            footer = "  cairn ca join-token --role chunk --name c5 --ttl 10m > c5.token")
    @Calls("POST /certificates")
    int token(
            @Option(
                            names = "--role",
                            paramLabel = "ROLE",
                            required = true,
                            description = "chunk, mount, gateway, admin or master.")
                    String role,
            @Option(
                            names = "--name",
                            paramLabel = "NAME",
                            required = true,
                            description = "Its name; that of a chunk server is its --id.")
                    String name,
            @Option(
                            names = "--ttl",
                            paramLabel = "TIME",
                            defaultValue = "1h",
                            description = "How long it is good: 10m, 1h, 7d (default: 1h).")
                    String ttl,
            @Mixin Changing changing) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("role", role);
        body.put("name", name);
        body.put("expiresAt", TokenTime.end("--ttl", ttl));
        ApiAnswer answer = changing.apply(ApiRequest.of("POST /certificates").body(body));
        if (answer == null) {
            return ExitCode.OK;
        }
        if (changing.isJson()) {
            changing.printDocument(answer.text());
        } else {
            changing.print(List.of(String.valueOf(answer.document().get("token"))));
            changing.errors()
                    .println(
                            "cairn: whoever has this token can join as %s %s, once"
                                    .formatted(role, name));
        }
        return ExitCode.OK;
    }

    @Command(
            name = "list",
            description = "List who holds a certificate, or a token to get one.",
            footer = "  cairn ca list")
    @Calls("GET /certificates")
    int list(@Mixin Reading asked) {
        return asked.list(
                ApiRequest.of("GET /certificates"), "id role name state expiresAt:expires");
    }

    @Command(
            name = "revoke",
            description = {
                "Revoke the certificates and the token of a process.",
                "A master that was removed signs its own: then replace the authority, too."
            },
            footer = "  cairn ca revoke mount.laptop7")
    @Calls("DELETE /certificates/{id}")
    int revoke(
            @Parameters(paramLabel = "ROLE.NAME", description = "As listed.") String id,
            @Mixin Changing changing) {
        return changing.done(
                changing.applyWithConsent(ApiRequest.of("DELETE /certificates/{id}", id)),
                id + " is revoked");
    }

    @Command(
            name = "authorities",
            description = "List the authorities that sign certificates, and who needs former ones.",
            footer = "  cairn ca authorities")
    @Calls("GET /authorities")
    int authorities(@Mixin Reading asked) {
        return asked.list(
                ApiRequest.of("GET /authorities"),
                "state fingerprint expiresAt:expires holders:needed-by");
    }

    @Command(
            name = "rotate",
            description = {
                "Replace the authority of the cluster: because its key leaked, or its end comes.",
                "Both are trusted until 'cairn ca drop-former'; all processes renew by themselves."
            },
            footer = "  cairn ca rotate")
    @Calls("POST /authorities")
    int rotate(@Mixin Changing changing) {
        return changing.done(
                changing.applyWithConsent(ApiRequest.of("POST /authorities")),
                "there is a new authority; see 'cairn ca authorities' for who needs the former");
    }

    @Command(
            name = "drop-former",
            description = {
                "End the trust in the former authorities, after 'cairn ca rotate'.",
                "It is refused while somebody has a certificate of them, and names who that is."
            },
            footer = "  cairn ca drop-former")
    @Calls("DELETE /authorities/former")
    int dropFormer(@Mixin Changing changing) {
        return changing.done(
                changing.applyWithConsent(ApiRequest.of("DELETE /authorities/former")),
                "the former authorities are trusted no more");
    }
}
