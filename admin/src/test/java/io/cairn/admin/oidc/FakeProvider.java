package io.cairn.admin.oidc;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.cairn.admin.api.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** An OpenID provider on loopback that signs in everybody as alice, of the group ops. */
public final class FakeProvider implements AutoCloseable {
    public static final String CLIENT = "cairn-test";
    public static final String SECRET = "a secret: with/signs";

    private final HttpServer server;
    private final Map<String, String> challenges = new ConcurrentHashMap<>();
    private final Map<String, String> nonces = new ConcurrentHashMap<>();
    final List<JWK> published = new CopyOnWriteArrayList<>();

    final AtomicInteger keysAsked = new AtomicInteger();

    /** Signs tokens. */
    volatile JWK key = rsa("k1");

    /** What the next token says otherwise. */
    volatile UnaryOperator<JWTClaimsSet.Builder> change = claims -> claims;

    volatile int padding;

    /** What it says of itself otherwise. */
    final Map<String, Object> document = new ConcurrentHashMap<>();

    /** It answers nothing before this is at 0. */
    volatile CountDownLatch silence = new CountDownLatch(0);

    /** Listens on a free port. */
    public FakeProvider() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        published.add(key);
        server.createContext("/.well-known/openid-configuration", this::discovery);
        server.createContext(
                "/keys",
                exchange -> {
                    keysAsked.incrementAndGet();
                    send(exchange, 200, new JWKSet(published).toString(true));
                });
        server.createContext("/token", this::token);
        server.createContext("/authorize", this::authorize);
        server.start();
    }

    private void discovery(HttpExchange exchange) throws IOException {
        try {
            silence.await();
        } catch (InterruptedException e) {
            throw new IOException("it stops", e);
        }
        Map<String, Object> told = new HashMap<>();
        told.put("issuer", issuer().toString());
        told.put("authorization_endpoint", issuer() + "/authorize?tenant=1");
        told.put("token_endpoint", issuer() + "/token");
        told.put("jwks_uri", issuer() + "/keys");
        told.put("padding", "x".repeat(padding));
        told.putAll(document);
        send(exchange, 200, Json.text(told));
    }

    static RSAKey rsa(String id) {
        try {
            return new RSAKeyGenerator(2048).keyID(id).generate();
        } catch (JOSEException e) {
            throw new AssertionError(e);
        }
    }

    static ECKey ec(String id) {
        try {
            return new ECKeyGenerator(Curve.P_256).keyID(id).generate();
        } catch (JOSEException e) {
            throw new AssertionError(e);
        }
    }

    /** Its address. */
    public URI issuer() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    private static void send(HttpExchange exchange, int status, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    static Map<String, String> form(String text) {
        Map<String, String> values = new HashMap<>();
        for (String pair : text.split("&", -1)) {
            String[] parts = pair.split("=", 2);
            values.put(parts[0], URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
        }
        return values;
    }

    /** What a browser that was sent here brings back: the code. */
    String signIn(String query) {
        Map<String, String> asked = form(query);
        if (!"code".equals(asked.get("response_type"))
                || !CLIENT.equals(asked.get("client_id"))
                || !"S256".equals(asked.get("code_challenge_method"))) {
            throw new AssertionError(asked);
        }
        String code = "code-" + challenges.size();
        challenges.put(code, Objects.requireNonNull(asked.get("code_challenge")));
        nonces.put(code, Objects.requireNonNull(asked.get("nonce")));
        return code;
    }

    /** As a provider does that knows the browser already. */
    private void authorize(HttpExchange exchange) throws IOException {
        String query = exchange.getRequestURI().getRawQuery();
        Map<String, String> asked = form(query);
        String back =
                Form.text(
                        Map.of(
                                "code",
                                signIn(query),
                                "state",
                                Objects.requireNonNull(asked.get("state"))));
        exchange.getResponseHeaders().set("Location", asked.get("redirect_uri") + "?" + back);
        send(exchange, 302, "You are alice.");
    }

    /** What tokens from now on say in the claim groups. */
    public void putIntoGroups(List<String> groups) {
        change = claims -> claims.claim("groups", groups);
    }

    private void token(HttpExchange exchange) throws IOException {
        Map<String, String> asked =
                form(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        String code = String.valueOf(asked.get("code"));
        String challenge = challenges.remove(code);
        String nonce = nonces.get(code);
        boolean isKnown =
                Form.basic(CLIENT, SECRET)
                        .equals(exchange.getRequestHeaders().getFirst("Authorization"));
        if (!isKnown
                || nonce == null
                || !hash(String.valueOf(asked.get("code_verifier"))).equals(challenge)) {
            send(exchange, 400, "{\"error\":\"invalid_grant\"}");
            return;
        }
        send(exchange, 200, Json.text(Map.of("id_token", token(nonce), "token_type", "Bearer")));
    }

    private static String hash(String verifier) {
        try {
            byte[] hash =
                    MessageDigest.getInstance("SHA-256")
                            .digest(verifier.getBytes(StandardCharsets.US_ASCII));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    /** Good claims, changed as the test says. */
    JWTClaimsSet claims(String nonce) {
        Instant now = Instant.now();
        return change.apply(
                        new JWTClaimsSet.Builder()
                                .issuer(issuer().toString())
                                .audience(CLIENT)
                                .subject("248289761001")
                                .issueTime(Date.from(now))
                                .expirationTime(Date.from(now.plusSeconds(600)))
                                .claim("nonce", nonce)
                                .claim("preferred_username", "alice")
                                .claim("groups", List.of("staff", "ops")))
                .build();
    }

    /** Signed with the key. */
    String token(String nonce) {
        try {
            boolean isRsa = key instanceof RSAKey;
            JWSSigner signer =
                    isRsa ? new RSASSASigner(key.toRSAKey()) : new ECDSASigner(key.toECKey());
            JWSHeader header =
                    new JWSHeader.Builder(isRsa ? JWSAlgorithm.RS256 : JWSAlgorithm.ES256)
                            .keyID(key.getKeyID())
                            .build();
            SignedJWT token = new SignedJWT(header, claims(nonce));
            token.sign(signer);
            return token.serialize();
        } catch (JOSEException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        silence.countDown();
        server.stop(0);
    }
}
