package io.cairn.cli.option;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.admin.api.Role;
import io.cairn.admin.oidc.OidcSettings;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

final class OidcOptionsTest {
    private static final List<String> NEEDED =
            List.of(
                    "--oidc-issuer=https://login.example/",
                    "--oidc-client-id=cairn",
                    "--oidc-console=https://cairn.example/",
                    "--oidc-role=ops=operate,staff=read",
                    "--oidc-role=chiefs=admin");

    private static @Nullable OidcSettings settings(List<String> words) {
        return CommandLine.populateCommand(new OidcOptions(), words.toArray(String[]::new))
                .settings();
    }

    private static List<String> and(String... more) {
        List<String> words = new ArrayList<>(NEEDED);
        words.addAll(List.of(more));
        return words;
    }

    @Test
    void allOfThemMakeSettings(@TempDir Path directory) throws Exception {
        Map<String, Role> roles =
                Map.of("ops", Role.OPERATE, "staff", Role.READ, "chiefs", Role.ADMIN);
        URI issuer = URI.create("https://login.example/");
        URI console = URI.create("https://cairn.example/");
        assertEquals(
                new OidcSettings(issuer, "cairn", null, "groups", roles, console),
                settings(NEEDED));
        Path file = Files.writeString(directory.resolve("secret"), "a b\n");
        assertEquals(
                new OidcSettings(issuer, "cairn", "a b", "teams", roles, console),
                settings(and("--oidc-client-secret-file=" + file, "--oidc-roles-claim=teams")));
    }

    @Test
    void withoutAnyThereIsNoProvider() {
        assertNull(settings(List.of()));
    }

    private static void isRefused(String why, List<String> words) {
        CommandException refused = assertThrows(CommandException.class, () -> settings(words), why);
        assertEquals(ExitCode.CONFIG, refused.exitCode());
        String text = String.valueOf(refused.getMessage());
        assertTrue(text.contains(why), text);
    }

    @Test
    void settingsThatDoNotFitAreRefused(@TempDir Path directory) throws Exception {
        isRefused("need --oidc-issuer", List.of("--oidc-client-id=cairn"));
        isRefused("need --oidc-issuer", List.of("--oidc-role=ops=admin"));
        isRefused("needs --oidc-client-id", List.of("--oidc-issuer=https://login.example/"));
        isRefused("roles are", and("--oidc-role=others=king"));
        isRefused("cannot be read", and("--oidc-client-secret-file=" + directory));
        Path empty = Files.createFile(directory.resolve("empty"));
        isRefused("must not be empty", and("--oidc-client-secret-file=" + empty));
        List<String> plain = and();
        plain.set(0, "--oidc-issuer=http://login.example/");
        isRefused("must begin with https://", plain);
    }
}
