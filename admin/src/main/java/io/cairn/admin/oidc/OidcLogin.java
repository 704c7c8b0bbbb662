package io.cairn.admin.oidc;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.nimbusds.jwt.JWTClaimsSet;
import io.cairn.admin.api.Call;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Problem;
import io.cairn.base.Sha256;
import io.cairn.http.WebAnswer;
import io.cairn.http.WebRequest;
import io.cairn.runtime.Clock;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Signs in users of the console with the OpenID provider:
 *
 * <ol>
 *   <li>{@code GET /oidc/info} tells the console which provider there is, if there is one.
 *   <li>{@code POST /oidc/begin} tells the console where at the provider to go, with a state, a
 *       nonce and the hash of a PKCE verifier, and gives the browser a cookie.
 *   <li>The provider sends the browser back to the console, with the state and a code. The console
 *       posts both to {@code /oidc/finish}.
 *   <li>If the state is of this browser, and for the first time, the code is exchanged for an ID
 *       token. The console keeps that in place of a token of the cluster, and it is good as long.
 * </ol>
 *
 * State, nonce and verifier follow from the cookie, by a key that this master makes when it starts.
 * So it remembers nothing of a sign-in that was only begun, and nobody can fill its memory with
 * them. A state is good at the master that made it, for ten minutes. Thread-safe; may block.
 */
public final class OidcLogin implements AutoCloseable {
    /** What {@link #answer} is for begins so. */
    public static final String PATH = "/oidc/";

    private static final Logger LOG = LoggerFactory.getLogger(OidcLogin.class);
    private static final String INFO = PATH + "info";
    private static final String COOKIE = "cairn-oidc";

    /** States that are used up. Of one that is forgotten the provider takes no code again. */
    private static final int MAX_USED = 4096;

    private static final long STATE_S = 600;
    private static final int MAX_CODE = 4096;

    private final OidcUsers users;
    private final Clock clock;
    private final SignInKey key;
    private final Cache<String, Boolean> used;

    /** Nobody is about to sign in yet. */
    public OidcLogin(OidcUsers users, Clock clock, RandomGenerator random) {
        this.users = users;
        this.clock = clock;
        this.key = new SignInKey(random);
        this.used =
                Caffeine.newBuilder()
                        .maximumSize(MAX_USED)
                        .expireAfterWrite(STATE_S, TimeUnit.SECONDS)
                        .ticker(clock::nanoTime)
                        .executor(Runnable::run)
                        .build();
    }

    /** With the users of a provider; null without one. */
    public static @Nullable OidcLogin of(
            @Nullable OidcSettings provider, Clock clock, RandomGenerator random) {
        return provider == null
                ? null
                : new OidcLogin(new OidcUsers(provider, clock), clock, random);
    }

    /** Those whom it signs in. */
    public OidcUsers users() {
        return users;
    }

    /**
     * Answers a request for a path that begins with {@link #PATH}.
     *
     * @throws Problem 401 when the ID token does not count, 403 when the user is not let in, 400,
     *     404, 405, 503 when the provider is away
     */
    public WebAnswer answer(WebRequest request) {
        WebAnswer answer =
                switch (request.path()) {
                    case INFO -> info(request, users.settings().issuer().getHost());
                    case PATH + "begin" -> begin(request);
                    case PATH + "finish" -> finish(request);
                    default -> throw Problem.notFound("There is nothing at " + request.path());
                };
        return answer.with("cache-control", "no-store").with("referrer-policy", "no-referrer");
    }

    /**
     * Answers the same request where there is no provider.
     *
     * @throws Problem 404, 405
     */
    public static WebAnswer answerWithout(WebRequest request) {
        if (!request.path().equals(INFO)) {
            throw Problem.notFound("This master knows no OpenID provider; see --oidc-issuer.");
        }
        return info(request, null);
    }

    private static WebAnswer info(WebRequest request, @Nullable String host) {
        if (!request.method().equals("GET")) {
            throw Problem.method("Only GET goes with " + request.path() + ".", "GET");
        }
        Map<String, Object> told = Json.map();
        told.put("provider", host);
        return WebAnswer.of(200, WebAnswer.JSON, Json.bytes(told));
    }

    /** Other sites cannot make a browser send this type without asking first. */
    private static Map<String, Object> posted(WebRequest request) {
        if (!request.method().equals("POST")) {
            throw Problem.method("Only POST goes with " + request.path() + ".", "POST");
        }
        String type = request.header("content-type");
        if (type == null || !type.startsWith(WebAnswer.JSON)) {
            throw Problem.malformed("Send the body as 'Content-Type: application/json'.");
        }
        try {
            return Json.object(request.body());
        } catch (IOException e) {
            throw Problem.malformed("The body is not a JSON object.");
        }
    }

    private WebAnswer begin(WebRequest request) {
        posted(request);
        URI authorization = users.provider().authorization();
        OidcSettings settings = users.settings();
        String browser = key.secret();
        String at = Json.hex(clock.millis());
        String challenge = SignInKey.text(Sha256.of(utf8(key.of("verifier", browser, at))));
        Map<String, String> asked =
                Map.of(
                        "response_type",
                        "code",
                        "scope",
                        "openid profile email",
                        "client_id",
                        settings.clientId(),
                        "redirect_uri",
                        settings.console().toString(),
                        "state",
                        at + "." + key.of("state", browser, at),
                        "nonce",
                        key.of("nonce", browser, at),
                        "code_challenge",
                        challenge,
                        "code_challenge_method",
                        "S256");
        String separator = authorization.getRawQuery() == null ? "?" : "&";
        Map<String, String> told = Map.of("location", authorization + separator + Form.text(asked));
        return WebAnswer.of(200, WebAnswer.JSON, Json.bytes(told))
                .with("set-cookie", cookie(browser, STATE_S));
    }

    /** Sent by this console alone, never with a request that another site makes. */
    private String cookie(String value, long lifeS) {
        URI console = users.settings().console();
        return "%s=%s; Path=%s; Max-Age=%d; HttpOnly; SameSite=Strict%s"
                .formatted(
                        COOKIE,
                        value,
                        console.getRawPath(),
                        lifeS,
                        "https".equals(console.getScheme()) ? "; Secure" : "");
    }

    private WebAnswer finish(WebRequest request) {
        Map<String, Object> body = posted(request);
        String code = String.valueOf(body.get("code"));
        if (code.length() > MAX_CODE) {
            throw Problem.malformed("A code has at most " + MAX_CODE + " characters.");
        }
        String browser = browser(request);
        String at = begun(String.valueOf(body.get("state")), browser);
        String token = users.provider().idToken(code, key.of("verifier", browser, at));
        JWTClaimsSet claims = users.provider().verified(token);
        if (!(claims.getClaim("nonce") instanceof String nonce)
                || !isSame(key.of("nonce", browser, at), nonce)) {
            throw Problem.forbidden("The ID token was made for another sign-in. Begin again.");
        }
        Call.Caller caller = users.caller(claims, request.remote());
        LOG.info(
                "{} at {} signed in, with role {}",
                caller.token(),
                caller.address(),
                caller.role().text());
        Map<String, String> told =
                Map.of("token", token, "user", caller.token(), "role", caller.role().text());
        return WebAnswer.of(200, WebAnswer.JSON, Json.bytes(told))
                .with("set-cookie", cookie("", 0));
    }

    /** When the sign-in of a state was begun in this browser; uses the state up. */
    private String begun(String state, String browser) {
        int dot = state.indexOf('.');
        String at = dot < 0 ? "" : state.substring(0, dot);
        boolean isOurs =
                !browser.isEmpty()
                        && isSame(at + "." + key.of("state", browser, at), state)
                        && ageMs(at) <= STATE_S * 1000;
        if (!isOurs || used.asMap().putIfAbsent(state, true) != null) {
            throw Problem.forbidden(
                    "This sign-in was not begun in this browser, took too long, or is used up."
                            + " Begin again.");
        }
        return at;
    }

    /** Of a time that this master wrote. */
    private long ageMs(String at) {
        return clock.millis() - Long.parseUnsignedLong(at, 16);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static boolean isSame(String one, String other) {
        return MessageDigest.isEqual(utf8(one), utf8(other));
    }

    /** The secret that the browser got when it began; empty when it shows none. */
    private static String browser(WebRequest request) {
        String header = request.header("cookie");
        if (header != null) {
            for (String each : header.split("[;,]", -1)) {
                String pair = each.strip();
                if (pair.startsWith(COOKIE + "=")) {
                    return pair.substring(COOKIE.length() + 1);
                }
            }
        }
        return "";
    }

    @Override
    public void close() {
        users.close();
    }
}
