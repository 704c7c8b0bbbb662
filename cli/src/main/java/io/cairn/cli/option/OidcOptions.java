package io.cairn.cli.option;

import io.cairn.admin.api.Role;
import io.cairn.admin.oidc.OidcSettings;
import io.cairn.base.Wording;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The OpenID provider whose users may sign in to the console and the admin API. */
public final class OidcOptions {
    @Option(
            names = "--oidc-issuer",
            paramLabel = "URL",
            description = {
                "OpenID provider whose users may sign in to the console, beside tokens",
                "(docs/administration.md). On each master."
            })
    private @Nullable URI issuer;

    @Option(
            names = "--oidc-client-id",
            paramLabel = "ID",
            description = "What the provider calls this cluster.")
    private @Nullable String clientId;

    @Option(
            names = "--oidc-client-secret-file",
            paramLabel = "FILE",
            description = "Holds the secret of this client, where it has one.")
    private @Nullable Path clientSecret;

    @Option(
            names = "--oidc-console",
            paramLabel = "URL",
            description =
                    "The console of this master as browsers see it, with a slash at the end: the"
                            + " provider sends users back to there.")
    private @Nullable URI console;

    @Option(
            names = "--oidc-roles-claim",
            paramLabel = "CLAIM",
            defaultValue = "groups",
            description = "Claim of a user that lists groups or roles (default: ${DEFAULT-VALUE}).")
    private String rolesClaim = "groups";

    @Option(
            names = "--oidc-role",
            split = ",",
            paramLabel = "VALUE=ROLE[,...]",
            description =
                    "Role (read, operate, admin) of users whose claim has this value. Nobody else"
                            + " gets in.")
    private Map<String, String> roles = new HashMap<>();

    /** The settings; null without a provider. Fails with CONFIG when they do not fit together. */
    public @Nullable OidcSettings settings() {
        URI provider = issuer;
        String id = clientId;
        URI page = console;
        if (provider == null) {
            if (id != null || page != null || clientSecret != null || !roles.isEmpty()) {
                throw new CommandException(
                        ExitCode.CONFIG, "the other options --oidc-... need --oidc-issuer");
            }
            return null;
        }
        if (id == null || page == null || roles.isEmpty()) {
            throw new CommandException(
                    ExitCode.CONFIG,
                    "--oidc-issuer needs --oidc-client-id, --oidc-console and --oidc-role");
        }
        Map<String, Role> known = new HashMap<>();
        roles.forEach((value, role) -> known.put(value, role(value, role)));
        try {
            return new OidcSettings(provider, id, secret(), rolesClaim, known, page);
        } catch (IllegalArgumentException e) {
            throw new CommandException(ExitCode.CONFIG, String.valueOf(e.getMessage()), e);
        }
    }

    private static Role role(String value, String text) {
        Role role = Role.of(text);
        if (role == null) {
            throw new CommandException(
                    ExitCode.CONFIG,
                    "--oidc-role %s=%s: roles are %s".formatted(value, text, Role.texts()));
        }
        return role;
    }

    private @Nullable String secret() {
        Path file = clientSecret;
        if (file == null) {
            return null;
        }
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new CommandException(
                    ExitCode.CONFIG, file + " cannot be read: " + Wording.of(e), e);
        }
    }
}
