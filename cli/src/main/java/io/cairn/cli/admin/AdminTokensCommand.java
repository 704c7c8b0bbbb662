package io.cairn.cli.admin;

import io.cairn.cli.api.ApiAnswer;
import io.cairn.cli.api.ApiRequest;
import io.cairn.cli.api.Calls;
import io.cairn.cli.api.Changing;
import io.cairn.cli.api.Reading;
import io.cairn.cli.option.OwnDirectory;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cairn admin tokens}: who may administer the cluster. */
@Command(
        name = "tokens",
        description = "List the tokens, without their secrets.",
        synopsisSubcommandLabel = "[COMMAND]",
        footer = {
            "  cairn admin tokens add monitoring --role read > monitoring.token",
            "  cairn admin tokens add guest --role operate --expires 7d",
            "  cairn admin tokens remove guest",
            "  cairn admin tokens reset --data /srv/m1"
        })
@Calls("GET /tokens")
final class AdminTokensCommand implements Callable<Integer> {
    @Mixin private Reading reading = new Reading();

    @Override
    public Integer call() {
        return reading.list(
                ApiRequest.of("GET /tokens"),
                "name role createdAt:created expiresAt:expires expired");
    }

    @Command(
            name = "show",
            description = "Show a token, without its secret.",
            footer = "  cairn admin tokens show monitoring")
    @Calls("GET /tokens/{name}")
    int show(
            @Parameters(paramLabel = "NAME", description = "As listed.") String name,
            @Mixin Reading asked) {
        return asked.show(ApiRequest.of("GET /tokens/{name}", name));
    }

    @Command(
            name = "add",
            description = "Make a token and print its secret, which is never shown again.",
            footer = "  cairn admin tokens add monitoring --role read > monitoring.token")
    @Calls("POST /tokens")
    int add(
            @Parameters(paramLabel = "NAME", description = "1..64 letters, digits, dots, dashes.")
                    String name,
            @Option(
                            names = "--role",
                            paramLabel = "ROLE",
                            required = true,
                            description = "read, operate or admin.")
                    String role,
            @Option(
                            names = "--expires",
                            paramLabel = "TIME",
                            description =
                                    "When it ends: 2026-12-31T00:00:00Z, or after 12h, 30d"
                                            + " (default: never).")
                    @Nullable String expires,
            @Mixin Changing changing) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("name", name);
        body.put("role", role);
        if (expires != null) {
            body.put("expiresAt", time(expires));
        }
        ApiAnswer answer = changing.apply(ApiRequest.of("POST /tokens").body(body));
        if (answer == null) {
            return ExitCode.OK;
        }
        if (changing.isJson()) {
            changing.printDocument(answer.text());
        } else {
            changing.print(List.of(String.valueOf(answer.document().get("secret"))));
            changing.errors()
                    .println("cairn: token " + name + " is made; keep its secret: it is told once");
        }
        return ExitCode.OK;
    }

    private static String time(String text) {
        try {
            if (text.matches("[1-9][0-9]{0,4}[hd]")) {
                long count = Long.parseLong(text.substring(0, text.length() - 1));
                Duration left =
                        text.endsWith("h") ? Duration.ofHours(count) : Duration.ofDays(count);
                return Instant.now().plus(left).truncatedTo(ChronoUnit.SECONDS).toString();
            }
            return Instant.parse(text).toString();
        } catch (DateTimeParseException e) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "--expires '" + text + "' is neither 12h, 30d nor 2026-12-31T00:00:00Z",
                    e);
        }
    }

    @Command(
            name = "reset",
            description = {
                "Make the first token anew, when no secret of role admin is known any more.",
                "For the machine of the master that leads: who may write in its data directory"
                        + " needs no token."
            },
            footer = "  cairn admin tokens reset --data /srv/m1")
    int reset(
            @Option(
                            names = "--data",
                            paramLabel = "DIR",
                            description =
                                    "The data directory of the master, or of 'cairn up' (default:"
                                            + " ~/.cairn).")
                    @Nullable Path data)
            throws InterruptedException {
        System.out.println(
                "the new token of role admin is in "
                        + new TokenReset(OwnDirectory.unless(data)).run());
        return ExitCode.OK;
    }

    @Command(
            name = "remove",
            description = "End a token.",
            footer = "  cairn admin tokens remove monitoring")
    @Calls("DELETE /tokens/{name}")
    int remove(
            @Parameters(paramLabel = "NAME", description = "As listed.") String name,
            @Mixin Changing changing) {
        return changing.done(
                changing.applyWithConsent(ApiRequest.of("DELETE /tokens/{name}", name)),
                "token " + name + " is removed");
    }
}
