package io.cairn.master.access;

import io.cairn.identity.scram.Password;
import io.cairn.identity.scram.ScramVerifier;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The users that mount with a password, and what the cluster keeps of their passwords. Immutable.
 * The record has a line for each, and one in front for the secret that makes up what unknown users
 * are told:
 *
 * <pre>
 *   secret BASE64
 *   alice SCRAM-SHA-256$16384:SALT$STOREDKEY:SERVERKEY
 * </pre>
 */
public final class MountUsers {
    /** The record of the administration that holds them. */
    public static final String RECORD = "access/users";

    /** How many there may be. */
    public static final int MAX_USERS = 1000;

    /** Bytes of a new secret. */
    public static final int SECRET_BYTES = 32;

    /** Nobody. */
    static final MountUsers NONE = of(new byte[SECRET_BYTES]);

    private static final String SECRET = "secret";

    private final byte[] secret;
    private final SortedMap<String, ScramVerifier> users;

    private MountUsers(byte[] secret, SortedMap<String, ScramVerifier> users) {
        this.secret = secret;
        this.users = users;
    }

    /** Nobody yet, with a new secret of {@value #SECRET_BYTES} random bytes. */
    public static MountUsers of(byte[] secret) {
        return new MountUsers(secret.clone(), new TreeMap<>());
    }

    /**
     * The users in the value of the record.
     *
     * @throws IllegalArgumentException when it is none
     */
    public static MountUsers decode(byte[] value) {
        List<String> lines = new String(value, StandardCharsets.UTF_8).lines().toList();
        if (lines.isEmpty() || !lines.getFirst().startsWith(SECRET + " ")) {
            throw new IllegalArgumentException("there is no secret in the first line");
        }
        byte[] secret = Base64.getDecoder().decode(lines.getFirst().substring(SECRET.length() + 1));
        if (secret.length < SECRET_BYTES) {
            throw new IllegalArgumentException("the secret is too short");
        }
        TreeMap<String, ScramVerifier> users = new TreeMap<>();
        for (String line : lines.subList(1, lines.size())) {
            int blank = line.indexOf(' ');
            String name = line.substring(0, Math.max(0, blank));
            if (!Password.isUserName(name)) {
                throw new IllegalArgumentException("a line has no name of a user");
            }
            users.put(name, ScramVerifier.parse(line.substring(blank + 1)));
        }
        return new MountUsers(secret, users);
    }

    /** The value of the record. */
    public byte[] encode() {
        StringBuilder text = new StringBuilder(SECRET).append(' ');
        text.append(Base64.getEncoder().encodeToString(secret)).append('\n');
        users.forEach(
                (name, verifier) ->
                        text.append(name).append(' ').append(verifier.text()).append('\n'));
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** The same with another password of a user, who need not have been there. */
    public MountUsers with(String name, ScramVerifier verifier) {
        TreeMap<String, ScramVerifier> changed = new TreeMap<>(users);
        changed.put(name, verifier);
        return new MountUsers(secret, changed);
    }

    /** The same without a user. */
    public MountUsers without(String name) {
        TreeMap<String, ScramVerifier> changed = new TreeMap<>(users);
        changed.remove(name);
        return new MountUsers(secret, changed);
    }

    /** The names, in their order. */
    public List<String> names() {
        return List.copyOf(users.keySet());
    }

    /** What is kept of the password of a user, or null. */
    @Nullable ScramVerifier find(String name) {
        return users.get(name);
    }

    /** The same, made up for an unknown one. */
    ScramVerifier verifier(String name) {
        ScramVerifier found = users.get(name);
        return found == null ? ScramVerifier.madeUp(secret, name) : found;
    }
}
