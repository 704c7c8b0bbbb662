package io.cairn.identity.scram;

import java.security.MessageDigest;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The server's side of one login. For one thread. */
public final class ScramServer {
    private static final String PRINTABLE = "[\\x21-\\x2B\\x2D-\\x7E]";
    private static final Pattern FIRST =
            Pattern.compile("n,,(n=([^,]{1,64}),r=(" + PRINTABLE + "{8,128}))");
    private static final Pattern FINAL =
            Pattern.compile("(c=biws,r=(" + PRINTABLE + "{1,256})),p=([A-Za-z0-9+/]{43}=)");

    private final String user;
    private final ScramVerifier verifier;
    private final String bare;
    private final String challenge;
    private final String nonce;

    private ScramServer(String user, ScramVerifier verifier, String bare, String nonce) {
        this.user = user;
        this.verifier = verifier;
        this.bare = bare;
        this.nonce = nonce;
        this.challenge =
                "r=%s,s=%s,i=%d"
                        .formatted(
                                nonce,
                                ScramVerifier.base64(verifier.salt()),
                                verifier.iterations());
    }

    /**
     * Takes the first message.
     *
     * @param verifiers gives that of a user; a made-up one for an unknown user
     * @param nonce a random text without commas
     * @throws IllegalArgumentException when it is none
     */
    public static ScramServer begin(
            String first, Function<String, ScramVerifier> verifiers, String nonce) {
        Matcher parts = FIRST.matcher(first);
        if (!parts.matches() || !Password.isUserName(parts.group(2))) {
            throw new IllegalArgumentException("it is no first message of a login");
        }
        String user = parts.group(2);
        return new ScramServer(user, verifiers.apply(user), parts.group(1), parts.group(3) + nonce);
    }

    /** The name that was told. */
    public String user() {
        return user;
    }

    /** What the password is compared with. */
    public ScramVerifier verifier() {
        return verifier;
    }

    /** The answer to the first message. */
    public String challenge() {
        return challenge;
    }

    /** The answer to the last message; null when it does not show that the password is known. */
    public @Nullable String finish(String last) {
        Matcher parts = FINAL.matcher(last);
        if (!parts.matches() || !parts.group(2).equals(nonce)) {
            return null;
        }
        byte[] proof = ScramVerifier.bytes(parts.group(3), "proof");
        String all = bare + "," + challenge + "," + parts.group(1);
        byte[] signature = ScramHash.hmac(verifier.storedKey(), all);
        byte[] clientKey = ScramHash.xor(proof, signature);
        return MessageDigest.isEqual(ScramHash.hash(clientKey), verifier.storedKey())
                ? "v=" + ScramVerifier.base64(ScramHash.hmac(verifier.serverKey(), all))
                : null;
    }
}
