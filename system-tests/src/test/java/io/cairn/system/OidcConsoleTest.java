package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.cairn.admin.oidc.FakeProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Signing in to the console with an OpenID provider, in a real browser, on a master's process. */
@Timeout(value = 240)
final class OidcConsoleTest {
    private static final String SIGN_IN = "Sign in with 127.0.0.1";

    @Test
    void aUserOfTheProviderSignsInAndOut(@TempDir Path directory) throws Exception {
        try (FakeProvider provider = new FakeProvider();
                ProcessCluster cluster = new ProcessCluster(directory, 1)) {
            String admin = "127.0.0.1:" + ProcessCluster.freePort();
            String console = "http://" + admin + "/";
            Path secret = Files.writeString(directory.resolve("secret"), FakeProvider.SECRET);
            String raft = "m1=127.0.0.1:" + ProcessCluster.freePort();
            cluster.start(
                    "m1",
                    "master",
                    "--id=m1",
                    "--data=" + directory.resolve("m1"),
                    "--listen=127.0.0.1:" + ProcessCluster.freePort(),
                    "--raft=" + raft,
                    "--found",
                    "--admin=" + admin,
                    "--oidc-issuer=" + provider.issuer(),
                    "--oidc-client-id=" + FakeProvider.CLIENT,
                    "--oidc-client-secret-file=" + secret,
                    "--oidc-console=" + console,
                    "--oidc-role=staff=read,ops=operate");
            String token = Files.readString(cluster.awaitFirstToken()).strip();
            try (Browser browser = new Browser(directory)) {
                visit(browser, console, provider, token);
                assertEquals(
                        List.of(),
                        browser.errors().stream().filter(each -> !isRefusal(each)).toList());
            }
            assertFalse(cluster.logs().contains(FakeProvider.SECRET));
        }
    }

    /** The browser tells of each answer that is no success. */
    private static boolean isRefusal(String error) {
        return error.contains("/oidc/finish") && error.contains("403");
    }

    private static void visit(
            Browser browser, String console, FakeProvider provider, String token) {
        browser.open(console);
        browser.press(SIGN_IN);
        browser.see("h1", "Overview");
        browser.press("Sign out");
        browser.see("h1", "Sign in");
        assertEquals(List.of(), browser.barriers());

        provider.putIntoGroups(List.of("guests"));
        browser.press(SIGN_IN);
        browser.see("#why", "You are signed in as '248289761001 .alice.', but have no role");

        browser.open(console + "?state=forged&code=code-0");
        browser.see("#why", "was not begun in this browser");
        browser.open(console + "?state=forged&error=access_denied&error_description=Call+us");
        browser.see("#why", "did not sign you in: access_denied.$");

        browser.type("#token", token);
        browser.press("Sign in");
        browser.see("h1", "Overview");
        browser.open(console + "?state=forged&code=code-0");
        browser.see("h1", "Overview");
    }
}
