package io.cairn.identity.scram;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The client's side of one login. For one thread. */
public final class ScramClient {
    private static final Pattern CHALLENGE =
            Pattern.compile("r=([\\x21-\\x2B\\x2D-\\x7E]{1,256}),s=([A-Za-z0-9+/=]+),i=([0-9]+)");

    private final Password password;
    private final String nonce;
    private final String bare;
    private @Nullable String expected;

    /**
     * Not begun.
     *
     * @param user for which {@link Password#isUserName} holds
     * @param nonce a random text of 8 to 128 characters without commas
     */
    public ScramClient(String user, Password password, String nonce) {
        this.password = password;
        this.nonce = nonce;
        this.bare = "n=" + user + ",r=" + nonce;
    }

    /** The first message. */
    public String first() {
        return "n,," + bare;
    }

    /**
     * The last message; takes about ten milliseconds the first time.
     *
     * @throws IllegalArgumentException when the challenge is none, or is one of somebody who wants
     *     to guess the password
     */
    public String answer(String challenge) {
        Matcher parts = CHALLENGE.matcher(challenge);
        if (!parts.matches()
                || !parts.group(1).startsWith(nonce)
                || parts.group(1).length() == nonce.length()) {
            throw new IllegalArgumentException("it is no answer to the login");
        }
        int iterations = ScramVerifier.iterations(parts.group(3));
        byte[] salted = password.salted(ScramVerifier.bytes(parts.group(2), "salt"), iterations);
        String own = "c=biws,r=" + parts.group(1);
        String all = bare + "," + challenge + "," + own;
        byte[] clientKey = ScramHash.hmac(salted, "Client Key");
        byte[] signature = ScramHash.hmac(ScramHash.hash(clientKey), all);
        byte[] serverKey = ScramHash.hmac(salted, "Server Key");
        expected = "v=" + ScramVerifier.base64(ScramHash.hmac(serverKey, all));
        return own + ",p=" + ScramVerifier.base64(ScramHash.xor(clientKey, signature));
    }

    /** Whether the answer to the last message is of a server that knows the password, too. */
    public boolean isFrom(String answer) {
        String wanted = expected;
        return wanted != null
                && MessageDigest.isEqual(
                        wanted.getBytes(StandardCharsets.UTF_8),
                        answer.getBytes(StandardCharsets.UTF_8));
    }
}
