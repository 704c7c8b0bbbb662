package io.cairn.admin.api;

import io.cairn.base.Sha256;
import io.cairn.metadata.cluster.AdminRecord;
import io.cairn.runtime.Clock;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of a cluster: records {@code token/NAME} that hold the SHA-256 of a secret, never the
 * secret. Thread-safe.
 */
public final class Tokens {
    public static final String PREFIX = "token/";
    private static final int SECRET_BYTES = 32;
    private static final String SECRET_PREFIX = "cairn_";

    private final Records records;
    private final Clock clock;

    /**
     * A token.
     *
     * @param sha256 of the secret, hexadecimal
     * @param expiresAt null when it does not
     * @param version of its record
     */
    public record Token(
            String name,
            Role role,
            String sha256,
            String createdAt,
            @Nullable String expiresAt,
            long version) {
        static Token of(AdminRecord record) {
            Map<String, Object> map = Json.stored(record.value());
            Role role = Role.of(String.valueOf(map.get("role")));
            return new Token(
                    record.key().substring(PREFIX.length()),
                    role == null ? Role.READ : role,
                    String.valueOf(map.get("sha256")),
                    String.valueOf(map.get("createdAt")),
                    map.get("expiresAt") instanceof String text ? text : null,
                    record.version());
        }

        public byte[] stored() {
            Map<String, Object> map = Json.map();
            map.put("role", role.text());
            map.put("sha256", sha256);
            map.put("createdAt", createdAt);
            map.put("expiresAt", expiresAt);
            return Json.bytes(map);
        }

        public boolean isExpired(long nowMs) {
            return expiresAt != null && Instant.parse(expiresAt).toEpochMilli() <= nowMs;
        }
    }

    public Tokens(Records records, Clock clock) {
        this.records = records;
        this.clock = clock;
    }

    /** A new secret. */
    public static String secret(RandomGenerator random) {
        byte[] bytes = new byte[SECRET_BYTES];
        random.nextBytes(bytes);
        return SECRET_PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    public static String hash(String secret) {
        return HexFormat.of().formatHex(Sha256.of(secret.getBytes(StandardCharsets.UTF_8)));
    }

    public List<Token> all() {
        return records.all(PREFIX).stream().map(Token::of).toList();
    }

    /** The token of a secret, expired or not, or null. Takes the same time for every secret. */
    @Nullable Token find(String secret) {
        byte[] wanted = hash(secret).getBytes(StandardCharsets.US_ASCII);
        Token found = null;
        for (Token token : all()) {
            byte[] each = token.sha256().getBytes(StandardCharsets.US_ASCII);
            if (MessageDigest.isEqual(wanted, each)) {
                found = token;
            }
        }
        return found;
    }

    public boolean isExpired(Token token) {
        return token.isExpired(clock.wallNs() / 1_000_000);
    }
}
