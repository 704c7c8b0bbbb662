package io.cairn.identity;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.base.Sha256;
import io.cairn.cluster.Endpoint;
import io.cairn.net.Principal.Role;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import io.cairn.wire.MalformedMessageException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;

/**
 * The right to get one certificate, as an operator hands it to a new process. Whoever holds it can
 * become that process; it is good once, and for a short time.
 *
 * @param masters where masters are asked, 1 or more
 * @param fingerprint SHA-256 of the certificate of the authority, hexadecimal: by it the newcomer
 *     knows the masters
 * @param secret by it the masters know the newcomer
 */
public record JoinToken(
        Role role, String name, List<Endpoint> masters, String fingerprint, String secret) {
    private static final String PREFIX = "cairn-join-";
    private static final int SECRET_BYTES = 24;
    private static final int MAX_MASTERS = 16;

    /** Takes a copy. */
    public JoinToken {
        masters = List.copyOf(masters);
    }

    /** A new secret. */
    public static String newSecret(SecureRandom random) {
        byte[] bytes = new byte[SECRET_BYTES];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** What masters keep in place of a secret: its SHA-256, hexadecimal. */
    public static String hash(String secret) {
        return hex(secret.getBytes(StandardCharsets.UTF_8));
    }

    /** The SHA-256 of bytes, hexadecimal. */
    static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(Sha256.of(bytes));
    }

    /** The token as one word. */
    public String text() {
        Encoder out = new Encoder(256);
        out.text(role.text()).text(name).text(fingerprint).text(secret).i32(masters.size());
        for (Endpoint each : masters) {
            out.text(each.toString());
        }
        return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(out.toBytes());
    }

    /** Whether a text is meant to be a token. */
    public static boolean isToken(String text) {
        return text.startsWith(PREFIX);
    }

    /**
     * Reads a token.
     *
     * @throws FsException EINVAL when it is none
     */
    public static JoinToken parse(String text) {
        try {
            if (!isToken(text)) {
                throw new MalformedMessageException("it does not begin with " + PREFIX);
            }
            Decoder in =
                    new Decoder(Base64.getUrlDecoder().decode(text.substring(PREFIX.length())));
            Role role = Role.of(in.text());
            String name = in.text();
            String fingerprint = in.text();
            String secret = in.text();
            int count = in.i32();
            if (role == null || count < 1 || count > MAX_MASTERS) {
                throw new MalformedMessageException("it names no role or no masters");
            }
            List<Endpoint> masters = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                masters.add(Endpoint.parse(in.text()));
            }
            return new JoinToken(role, name, masters, fingerprint, secret);
        } catch (MalformedMessageException | IllegalArgumentException e) {
            throw new FsException(
                    Errno.EINVAL,
                    "this is no join token (%s): copy the whole line that 'cairn ca"
                                    .formatted(e.getMessage())
                            + " join-token' printed",
                    e);
        }
    }
}
