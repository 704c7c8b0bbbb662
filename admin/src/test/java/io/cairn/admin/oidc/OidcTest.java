package io.cairn.admin.oidc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import io.cairn.admin.AdminBench;
import io.cairn.admin.api.Authenticator;
import io.cairn.admin.api.Call;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Problem;
import io.cairn.admin.api.Role;
import io.cairn.admin.api.Router;
import io.cairn.http.WebAnswer;
import io.cairn.http.WebRequest;
import io.cairn.master.LoneMaster;
import io.cairn.runtime.Clock;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

class OidcTest {
    private static final URI CONSOLE = URI.create("https://cairn.example/console/");

    private FakeProvider provider;
    private OidcSettings settings;
    private OidcUsers users;
    private OidcLogin login;
    private final AheadClock clock = new AheadClock();

    /** The clock of the machine, set ahead. */
    private static final class AheadClock implements Clock {
        private long aheadMs;

        @Override
        public long nanoTime() {
            return Clock.system().nanoTime() + aheadMs * 1_000_000;
        }

        @Override
        public long wallNs() {
            return Clock.system().wallNs() + aheadMs * 1_000_000;
        }
    }

    @BeforeEach
    void start() throws Exception {
        provider = new FakeProvider();
        settings =
                new OidcSettings(
                        provider.issuer(),
                        FakeProvider.CLIENT,
                        FakeProvider.SECRET,
                        "groups",
                        Map.of("ops", Role.OPERATE, "staff", Role.READ),
                        CONSOLE);
        users = new OidcUsers(settings, clock);
        login = new OidcLogin(users, clock, new SecureRandom());
    }

    @AfterEach
    void stop() {
        login.close();
        provider.close();
    }

    /** A browser on its way to the provider. */
    private record Begun(Map<String, String> asked, String query, String cookie) {}

    private static WebRequest post(String path, String cookie, Map<String, String> body) {
        Map<String, String> headers = new HashMap<>();
        headers.put("content-type", "application/json");
        headers.put("cookie", "other=1; " + cookie);
        return new WebRequest("POST", path, "", headers, Json.bytes(body), "b");
    }

    private Begun begin() throws Exception {
        WebAnswer answer = login.answer(post("/oidc/begin", "", Map.of()));
        assertEquals(200, answer.status());
        String location = String.valueOf(Json.object(answer.body()).get("location"));
        String prefix = provider.issuer() + "/authorize?tenant=1&";
        assertTrue(location.startsWith(prefix), location);
        String cookie = String.valueOf(answer.headers().get("set-cookie"));
        for (String each : List.of("HttpOnly", "SameSite=Strict", "Secure", "Path=/console/")) {
            assertTrue(cookie.contains("; " + each), cookie);
        }
        String query = location.substring(prefix.length());
        Map<String, String> asked = FakeProvider.form(query);
        assertEquals(CONSOLE.toString(), asked.get("redirect_uri"));
        return new Begun(asked, query, cookie.substring(0, cookie.indexOf(';')));
    }

    private Map<String, Object> finish(String state, String code, String cookie) throws Exception {
        WebAnswer answer =
                login.answer(post("/oidc/finish", cookie, Map.of("state", state, "code", code)));
        assertEquals("no-store", answer.headers().get("cache-control"));
        assertTrue(String.valueOf(answer.headers().get("set-cookie")).contains("Max-Age=0"));
        return Json.object(answer.body());
    }

    private Map<String, Object> signIn() throws Exception {
        Begun begun = begin();
        String state = String.valueOf(begun.asked.get("state"));
        return finish(state, provider.signIn(begun.query), begun.cookie);
    }

    private static void fails(int status, String why, Executable of) {
        Problem problem = assertThrows(Problem.class, of);
        String text = String.valueOf(problem.getMessage());
        assertEquals(status, Router.toAnswer(problem).status(), text);
        assertTrue(text.contains(why), text);
    }

    @Test
    void aUserOfTheProviderSignsIn() throws Exception {
        Map<String, Object> told = signIn();
        assertEquals("operate", told.get("role"));
        String token = String.valueOf(told.get("token"));
        assertTrue(users.mayKnow(token));
        Call.Caller caller = users.caller(token, "there");
        assertEquals(new Call.Caller("oidc:248289761001 (alice)", Role.OPERATE, "there"), caller);
        assertFalse(users.mayKnow("cairn_0123456789abcdef"));
    }

    @Test
    void aStateIsGoodOnceAndInOneBrowser() throws Exception {
        Begun begun = begin();
        Begun other = begin();
        String state = String.valueOf(begun.asked.get("state"));
        String code = provider.signIn(begun.query);
        fails(403, "Begin again", () -> finish(state, code, other.cookie));
        fails(403, "Begin again", () -> finish(state, code, "cairn-oidc="));
        fails(403, "Begin again", () -> finish(state, code, ""));
        fails(403, "Begin again", () -> finish("unknown", code, begun.cookie));
        fails(403, "Begin again", () -> finish("0" + state, code, begun.cookie));
        fails(403, "Begin again", () -> finish("." + state, code, begun.cookie));
        assertEquals("operate", finish(state, code, begun.cookie).get("role"));
        String another = provider.signIn(begun.query);
        fails(403, "Begin again", () -> finish(state, another, begun.cookie));
    }

    @Test
    void aStateIsGoodForTenMinutesAndAtOneMaster() throws Exception {
        Begun begun = begin();
        String state = String.valueOf(begun.asked.get("state"));
        String code = provider.signIn(begun.query);
        try (OidcLogin elsewhere =
                new OidcLogin(new OidcUsers(settings, clock), clock, new SecureRandom())) {
            WebRequest back =
                    post("/oidc/finish", begun.cookie, Map.of("state", state, "code", code));
            fails(403, "Begin again", () -> elsewhere.answer(back));
        }
        clock.aheadMs = 600_001;
        fails(403, "took too long", () -> finish(state, code, begun.cookie));
        clock.aheadMs = 590_000;
        assertEquals("operate", finish(state, code, begun.cookie).get("role"));
    }

    @Test
    void requestsThatOtherSitesCanCauseAreRefused() {
        for (String path : List.of("/oidc/begin", "/oidc/finish")) {
            WebRequest link = new WebRequest("GET", path, "", Map.of(), new byte[0], "b");
            fails(405, "POST", () -> login.answer(link));
            WebRequest form =
                    new WebRequest(
                            "POST",
                            path,
                            "",
                            Map.of("content-type", "text/plain"),
                            Json.bytes(Map.of()),
                            "b");
            fails(400, "Content-Type", () -> login.answer(form));
        }
        fails(405, "GET", () -> login.answer(post("/oidc/info", "", Map.of())));
        fails(404, "nothing", () -> login.answer(post("/oidc/other", "", Map.of())));
        String huge = "x".repeat(5000);
        fails(400, "characters", () -> finish("s", huge, ""));
    }

    /** As somebody does who makes a browser sign in with the code of another account. */
    @Test
    void aCodeOfAnotherSignInIsRefused() throws Exception {
        Begun mine = begin();
        Begun other = begin();
        String state = String.valueOf(mine.asked.get("state"));
        String code = provider.signIn(other.query);
        fails(403, "refuses", () -> finish(state, code, mine.cookie));
    }

    private void isRefused(String why, UnaryOperator<JWTClaimsSet.Builder> change) {
        provider.change = change;
        fails(401, why, () -> users.caller(provider.token("n"), "there"));
        fails(401, why, this::signIn);
        provider.change = claims -> claims;
    }

    @Test
    void aTokenWithWrongClaimsDoesNotCount() throws Exception {
        isRefused("aud claim", claims -> claims.audience("another-client"));
        isRefused("iss", claims -> claims.issuer("https://evil.example"));
        isRefused(
                "Expired",
                claims -> claims.expirationTime(Date.from(Instant.now().minusSeconds(3600))));
        isRefused("exp", claims -> claims.expirationTime(null));
        isRefused("sub", claims -> claims.subject(null));
        isRefused(
                "another client",
                claims -> claims.audience(List.of(FakeProvider.CLIENT, "another-client")));
        isRefused("another client", claims -> claims.claim("azp", "another-client"));
        isRefused("subject", claims -> claims.subject("x".repeat(256)));
        isRefused("characters", claims -> claims.claim("more", "x".repeat(20_000)));
        isRefused(
                "before",
                claims -> claims.notBeforeTime(Date.from(Instant.now().plusSeconds(3600))));
        provider.change = claims -> claims.claim("nonce", "another");
        fails(403, "another sign-in", this::signIn);
        provider.change = claims -> claims;
        assertEquals("operate", signIn().get("role"));
    }

    @Test
    void aTokenThatTheProviderHasNotSignedDoesNotCount() throws Exception {
        String plain = new PlainJWT(provider.claims("n")).serialize();
        assertTrue(users.mayKnow(plain));
        fails(401, "does not count", () -> users.caller(plain, "there"));
        SignedJWT shared =
                new SignedJWT(
                        new JWSHeader.Builder(JWSAlgorithm.HS256).keyID("k1").build(),
                        provider.claims("n"));
        String secret = FakeProvider.SECRET + "0".repeat(32);
        shared.sign(new MACSigner(secret.getBytes(StandardCharsets.UTF_8)));
        fails(401, "does not count", () -> users.caller(shared.serialize(), "there"));
        provider.key = FakeProvider.rsa("k1");
        fails(401, "signature", () -> users.caller(provider.token("n"), "there"));
        fails(401, "does not count", () -> users.caller("a.b.c", "there"));
    }

    @Test
    void theProviderMayChangeItsKey() {
        assertEquals(Role.OPERATE, users.caller(provider.token("n"), "there").role());
        provider.key = FakeProvider.ec("k2");
        provider.published.add(provider.key);
        assertEquals(Role.OPERATE, users.caller(provider.token("n"), "there").role());
    }

    @Test
    void whoHasNoRoleHereIsToldSo() {
        provider.change = claims -> claims.claim("groups", List.of("guests"));
        fails(403, "'248289761001 (alice)', but have no role", this::signIn);
        provider.change = claims -> claims.claim("groups", null);
        fails(403, "have no role", this::signIn);
        provider.change = claims -> claims.claim("groups", "staff");
        assertEquals(Role.READ, users.caller(provider.token("n"), "there").role());
    }

    @Test
    void aProviderWithHugeAnswersIsNotRead() {
        provider.padding = 2 << 20;
        fails(503, "cannot be asked", this::begin);
    }

    @Test
    void aSilentProviderIsWaitedForSomeSeconds() {
        provider.silence = new CountDownLatch(1);
        long beginNs = System.nanoTime();
        fails(503, "in time", this::begin);
        fails(503, "in time", this::begin);
        long tookMs = (System.nanoTime() - beginNs) / 1_000_000;
        assertTrue(tookMs < 30_000, () -> tookMs + " ms");
    }

    @Test
    void aProviderThatIsAnotherOneOrSendsUsersAwayInPlainIsNotUsed() throws Exception {
        for (Map.Entry<String, String> each :
                Map.of(
                                "issuer",
                                "https://evil.example",
                                "authorization_endpoint",
                                "http://evil.example/authorize",
                                "token_endpoint",
                                "http://evil.example/token",
                                "jwks_uri",
                                "file:///etc/passwd")
                        .entrySet()) {
            provider.document.clear();
            provider.document.put(each.getKey(), each.getValue());
            fails(503, each.getValue(), this::begin);
            clock.aheadMs += 2_001;
        }
        provider.document.clear();
        assertEquals("operate", signIn().get("role"));
    }

    @Test
    void addressesThatOthersCanReadAreRefused() {
        URI plain = URI.create("http://login.example/");
        assertThrows(
                IllegalArgumentException.class,
                () -> new OidcSettings(plain, "id", null, "groups", Map.of(), CONSOLE));
        assertThrows(
                IllegalArgumentException.class,
                () -> new OidcSettings(CONSOLE, "id", null, "groups", Map.of(), plain));
        assertFalse(settings.toString().contains(FakeProvider.SECRET));
        for (String each :
                List.of(
                        "https://c.example/x",
                        "https://c.example",
                        "https://c.example/?a=b/",
                        "https://u@c.example/",
                        "https://c.example/a;HttpOnly/")) {
            assertThrows(
                    IllegalArgumentException.class,
                    () ->
                            new OidcSettings(
                                    CONSOLE, "id", null, "groups", Map.of(), URI.create(each)),
                    each);
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> new OidcSettings(CONSOLE, "id", "", "groups", Map.of(), CONSOLE));
    }

    /** The console keeps the ID token, so this is the end of its session. */
    @Test
    void aSessionEndsWithItsToken() throws Exception {
        String token = String.valueOf(signIn().get("token"));
        clock.aheadMs = 590_000;
        assertEquals(Role.OPERATE, users.caller(token, "there").role());
        clock.aheadMs = 700_000;
        fails(401, "Expired", () -> users.caller(token, "there"));
    }

    /** As with names that would forge a line of a log, or look like another user. */
    @Test
    void aUserCannotTakeTheNameOfAnother() {
        provider.change =
                claims -> claims.claim("preferred_username", "root\n\u202e" + "x".repeat(200));
        assertEquals(
                "oidc:248289761001 (root??" + "x".repeat(58) + ")",
                users.caller(provider.token("n"), "there").token());
        provider.change = claims -> claims.claim("preferred_username", null);
        assertEquals("oidc:248289761001", users.caller(provider.token("n"), "there").token());
    }

    @Test
    void unknownKeysDoNotMakeTheProviderBusy() {
        assertEquals(Role.OPERATE, users.caller(provider.token("n"), "there").role());
        provider.key = FakeProvider.rsa("forged");
        for (int i = 0; i < 20; i++) {
            assertThrows(Problem.class, () -> users.caller(provider.token("n"), "there"));
        }
        assertTrue(provider.keysAsked.get() <= 4, () -> provider.keysAsked + " times");
        provider.key = provider.published.getFirst();
        assertEquals(Role.OPERATE, users.caller(provider.token("n"), "there").role());
    }

    private static HttpResponse<String> get(AdminBench bench, String path, String bearer)
            throws Exception {
        URI at = URI.create("http://127.0.0.1:" + bench.door.endpoint().port() + path);
        HttpRequest.Builder request = HttpRequest.newBuilder(at);
        if (!bearer.isEmpty()) {
            request.header("Authorization", "Bearer " + bearer);
        }
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        }
    }

    private static HttpResponse<String> begin(AdminBench bench) throws Exception {
        URI at = URI.create("http://127.0.0.1:" + bench.door.endpoint().port() + "/oidc/begin");
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(
                    HttpRequest.newBuilder(at)
                            .header("Content-Type", "application/json")
                            .POST(HttpRequest.BodyPublishers.ofString("{}"))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }

    @Test
    void theApiKnowsThemAndTokensOfTheClusterWorkWithoutTheProvider(@TempDir Path directory)
            throws Exception {
        try (AdminBench bench = new AdminBench(directory, new LoneMaster(), settings)) {
            assertTrue(get(bench, "/oidc/info", "").body().contains("127.0.0.1"));
            String token = provider.token("n");
            assertEquals(200, get(bench, "/api/v1/cluster", token).statusCode());
            assertEquals(403, get(bench, "/api/v1/tokens", token).statusCode());
            provider.change = claims -> claims.claim("more", "x".repeat(11_000));
            assertEquals(200, get(bench, "/api/v1/cluster", provider.token("n")).statusCode());
            for (int i = 0; i < Authenticator.MAX_FAILURES; i++) {
                assertEquals(401, get(bench, "/api/v1/cluster", token + "x").statusCode());
            }
            assertEquals(429, get(bench, "/api/v1/cluster", token + "x").statusCode());
            assertEquals(200, get(bench, "/api/v1/cluster", token).statusCode());
            assertEquals(200, bench.send(bench.to("/cluster").GET()).statusCode());
        }
        provider.close();
        Path other = Files.createDirectory(directory.resolve("other"));
        try (AdminBench bench = new AdminBench(other, new LoneMaster(), settings)) {
            HttpResponse<String> away = begin(bench);
            assertEquals(503, away.statusCode());
            assertTrue(away.body().contains("Tokens of the cluster work"), away.body());
            assertEquals(503, get(bench, "/api/v1/cluster", provider.token("n")).statusCode());
            assertEquals(200, bench.send(bench.to("/cluster").GET()).statusCode());
        }
    }

    @Test
    void withoutAProviderThereIsNothing(@TempDir Path directory) throws Exception {
        try (AdminBench bench = new AdminBench(directory)) {
            assertEquals("{\"provider\":null}", get(bench, "/oidc/info", "").body());
            assertEquals(404, begin(bench).statusCode());
            assertEquals(401, get(bench, "/api/v1/cluster", provider.token("n")).statusCode());
        }
    }
}
