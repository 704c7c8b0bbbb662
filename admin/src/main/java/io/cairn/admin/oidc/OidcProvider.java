package io.cairn.admin.oidc;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.Resource;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Problem;
import io.cairn.runtime.Clock;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.Duration;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this master knows of the OpenID provider, and asks it: its discovery document, its keys, and
 * tokens for codes. Answers are bounded in size and time. Thread-safe; blocks for some seconds.
 */
final class OidcProvider implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OidcProvider.class);
    private static final int MAX_BYTES = 1 << 20;
    private static final Duration CONNECT = Duration.ofSeconds(3);
    private static final long ANSWER_MS = 5_000;

    /** So long after a failure it is not asked again. */
    private static final long PAUSE_NS = TimeUnit.SECONDS.toNanos(2);

    /** So long keys are kept, so long others wait for one that fetches them, and how often. */
    private static final long KEYS_MS = TimeUnit.MINUTES.toMillis(5);

    private static final long KEYS_WAIT_MS = 2 * ANSWER_MS;
    private static final long KEYS_PAUSE_MS = TimeUnit.SECONDS.toMillis(30);

    /** Browsers send it in a header, of which a master takes 24 KiB. */
    private static final int MAX_TOKEN = 16 << 10;

    /** As OpenID Connect Core 1.0 says, section 2. */
    private static final int MAX_SUBJECT = 255;

    /** Codes that are exchanged at a time: anybody may send some, and the provider counts them. */
    private static final int MAX_EXCHANGES = 16;

    /** Refused codes are logged no more often. */
    private static final long WARNING_NS = TimeUnit.SECONDS.toNanos(5);

    /** No symmetric ones, whose key is the secret of the client, and never none. */
    private static final Set<JWSAlgorithm> ALGORITHMS =
            Set.of(
                    JWSAlgorithm.RS256,
                    JWSAlgorithm.RS384,
                    JWSAlgorithm.RS512,
                    JWSAlgorithm.PS256,
                    JWSAlgorithm.ES256,
                    JWSAlgorithm.ES384,
                    JWSAlgorithm.ES512);

    private final OidcSettings settings;
    private final Clock clock;
    private final HttpClient http = HttpClient.newBuilder().connectTimeout(CONNECT).build();
    private final ReentrantLock lock = new ReentrantLock();
    private final Semaphore exchanges = new Semaphore(MAX_EXCHANGES);
    private final AtomicLong warnedNs;
    private volatile @Nullable Discovered discovered;
    private volatile @Nullable Failure failure;

    private record Discovered(
            URI authorization, URI token, DefaultJWTProcessor<SecurityContext> processor) {}

    private record Failure(long atNs, Problem problem) {}

    OidcProvider(OidcSettings settings, Clock clock) {
        this.settings = settings;
        this.clock = clock;
        this.warnedNs = new AtomicLong(clock.nanoTime() - WARNING_NS);
    }

    /** Where browsers begin to sign in; fails with 503 while the provider does not answer. */
    URI authorization() {
        return discovered().authorization;
    }

    /**
     * The claims of an ID token of the provider for this cluster.
     *
     * @throws Problem 401 when it is no valid one, 503 when its key cannot be fetched
     */
    JWTClaimsSet verified(String token) {
        if (token.length() > MAX_TOKEN) {
            throw invalid(
                    "it has more than %d characters, so have the provider put less into it"
                            .formatted(MAX_TOKEN));
        }
        try {
            JWTClaimsSet claims = discovered().processor.process(token, null);
            requireOurs(claims);
            return claims;
        } catch (ParseException | BadJOSEException e) {
            throw invalid(String.valueOf(e.getMessage()));
        } catch (JOSEException e) {
            throw away(String.valueOf(e.getMessage()));
        }
    }

    /** What OpenID Connect Core 1.0 asks for besides, in section 3.1.3.7. */
    private void requireOurs(JWTClaimsSet claims) {
        Object party = claims.getClaim("azp");
        boolean isOurs =
                party == null
                        ? claims.getAudience().size() == 1
                        : party.equals(settings.clientId());
        if (!isOurs) {
            throw invalid("it was made for another client");
        }
        String subject = claims.getSubject();
        if (subject == null || subject.isEmpty() || subject.length() > MAX_SUBJECT) {
            throw invalid("its subject is empty or too long");
        }
    }

    private static Problem invalid(String why) {
        return Problem.unauthorized(
                "The token of the OpenID provider does not count: %s. Sign in again."
                        .formatted(why));
    }

    private Problem away(String why) {
        return Problem.unavailable(
                "The OpenID provider %s cannot be asked: %s. Tokens of the cluster work as ever."
                        .formatted(settings.issuer(), why));
    }

    /**
     * The ID token for a code.
     *
     * @throws Problem 403 when the provider refuses, 429 when too many sign in at once, 503 when it
     *     does not answer
     */
    String idToken(String code, String verifier) {
        if (!exchanges.tryAcquire()) {
            throw Problem.tooMany("Too many users sign in at once. Begin again.", 5);
        }
        try {
            return exchange(code, verifier);
        } finally {
            exchanges.release();
        }
    }

    private String exchange(String code, String verifier) {
        Map<String, String> form =
                Map.of(
                        "grant_type",
                        "authorization_code",
                        "code",
                        code,
                        "redirect_uri",
                        settings.console().toString(),
                        "client_id",
                        settings.clientId(),
                        "code_verifier",
                        verifier);
        HttpRequest.Builder request =
                HttpRequest.newBuilder(discovered().token)
                        .header("content-type", "application/x-www-form-urlencoded")
                        .POST(HttpRequest.BodyPublishers.ofString(Form.text(form)));
        String secret = settings.clientSecret();
        if (secret != null) {
            request.header("authorization", Form.basic(settings.clientId(), secret));
        }
        try {
            HttpResponse<byte[]> answer = send(request);
            if (answer.statusCode() / 100 == 4) {
                warn(answer);
                throw Problem.forbidden("The OpenID provider refuses to sign you in. Begin again.");
            }
            Object token = document(answer).get("id_token");
            if (token instanceof String text) {
                return text;
            }
            throw new IOException("it gave no ID token");
        } catch (IOException e) {
            throw away(String.valueOf(e.getMessage()));
        }
    }

    private void warn(HttpResponse<byte[]> answer) {
        long now = clock.nanoTime();
        long last = warnedNs.get();
        if (now - last >= WARNING_NS && warnedNs.compareAndSet(last, now)) {
            LOG.warn(
                    "the OpenID provider {} refuses a code: {} {}",
                    settings.issuer(),
                    answer.statusCode(),
                    errorOf(answer));
        }
    }

    /** The error code of RFC 6749, 5.2, such as invalid_client; empty when there is none. */
    private static String errorOf(HttpResponse<byte[]> answer) {
        try {
            String error = String.valueOf(Json.object(answer.body()).get("error"));
            return error.matches("[a-z_]{1,64}") ? error : "";
        } catch (IOException e) {
            return "";
        }
    }

    private Discovered discovered() {
        Discovered known = discovered;
        if (known != null) {
            return known;
        }
        lock.lock();
        try {
            Failure last = failure;
            if (discovered == null && last != null && clock.nanoTime() - last.atNs < PAUSE_NS) {
                throw last.problem;
            }
            Discovered found = discovered == null ? discover() : discovered;
            discovered = found;
            return found;
        } catch (IOException | IllegalArgumentException e) {
            Problem problem = away(String.valueOf(e.getMessage()));
            failure = new Failure(clock.nanoTime(), problem);
            throw problem;
        } finally {
            lock.unlock();
        }
    }

    private Discovered discover() throws IOException {
        String base = settings.issuer().toString().replaceFirst("/$", "");
        URI address = URI.create(base + "/.well-known/openid-configuration");
        Map<String, Object> document = document(send(HttpRequest.newBuilder(address).GET()));
        if (!settings.issuer().toString().equals(document.get("issuer"))) {
            throw new IOException("it calls itself " + document.get("issuer"));
        }
        return new Discovered(
                address(document, "authorization_endpoint"),
                address(document, "token_endpoint"),
                processor(address(document, "jwks_uri")));
    }

    private static URI address(Map<String, Object> document, String name) {
        return OidcSettings.requireSecure(URI.create(String.valueOf(document.get(name))));
    }

    private DefaultJWTProcessor<SecurityContext> processor(URI keys) throws MalformedURLException {
        JWKSource<SecurityContext> source =
                JWKSourceBuilder.create(
                                keys.toURL(),
                                url -> {
                                    HttpRequest.Builder get =
                                            HttpRequest.newBuilder(URI.create(url.toString()));
                                    return new Resource(text(send(get.GET())), "application/json");
                                })
                        // It would start a thread that keeps the process from ending.
                        .refreshAheadCache(false)
                        .cache(KEYS_MS, KEYS_WAIT_MS)
                        .rateLimited(KEYS_PAUSE_MS)
                        .build();
        DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();
        processor.setJWSKeySelector(new JWSVerificationKeySelector<>(ALGORITHMS, source));
        processor.setJWTClaimsSetVerifier(
                new ClaimsCheck(settings.issuer().toString(), settings.clientId(), clock));
        return processor;
    }

    /** Issuer, audience and times, by the clock of this master. */
    private static final class ClaimsCheck extends DefaultJWTClaimsVerifier<SecurityContext> {
        private final Clock clock;

        ClaimsCheck(String issuer, String audience, Clock clock) {
            super(
                    Set.of(audience),
                    new JWTClaimsSet.Builder().issuer(issuer).build(),
                    Set.of("sub", "exp", "iat"),
                    null);
            this.clock = clock;
        }

        @Override
        protected Date currentTime() {
            return Date.from(clock.now());
        }
    }

    private static Map<String, Object> document(HttpResponse<byte[]> answer) throws IOException {
        return Json.object(text(answer).getBytes(StandardCharsets.UTF_8));
    }

    private static String text(HttpResponse<byte[]> answer) throws IOException {
        if (answer.statusCode() != 200) {
            throw new IOException(answer.uri() + " answers " + answer.statusCode());
        }
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    /** Also the end of the body comes in time. */
    private HttpResponse<byte[]> send(HttpRequest.Builder request) throws IOException {
        HttpRequest built = request.header("accept", "application/json").build();
        CompletableFuture<HttpResponse<byte[]>> answer =
                http.sendAsync(
                        built,
                        HttpResponse.BodyHandlers.limiting(
                                HttpResponse.BodyHandlers.ofByteArray(), MAX_BYTES));
        try {
            return answer.get(ANSWER_MS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new IOException(built.uri() + " does not answer: " + e.getCause(), e);
        } catch (TimeoutException e) {
            answer.cancel(true);
            throw new IOException(built.uri() + " does not answer in time", e);
        } catch (InterruptedException e) {
            answer.cancel(true);
            Thread.currentThread().interrupt();
            throw new IOException("this master stops", e);
        }
    }

    @Override
    public void close() {
        http.shutdownNow();
    }

    /** The values of a claim that is a text or a list of texts. */
    static List<String> texts(@Nullable Object claim) {
        if (claim instanceof String text) {
            return List.of(text);
        }
        return claim instanceof List<?> list
                ? list.stream().map(String::valueOf).toList()
                : List.of();
    }
}
