package io.cairn.net;

import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The other side of a connection, as its certificate tells. It is known before the first message
 * arrives and stays the same until the connection ends.
 *
 * @param role its task in the cluster; {@link Role#ANONYMOUS} on a connection without certificates
 * @param name its name within the role, such as that of a chunk server; empty when anonymous
 * @param address the address it speaks from, without its port
 */
public record Principal(Role role, String name, String address) {
    /** The tasks that a certificate is made for. */
    public enum Role {
        /** Nobody in particular: a plain connection on loopback, or one that is to join. */
        ANONYMOUS,
        /** A master. */
        MASTER,
        /** A chunk server. */
        CHUNK,
        /** A mount, or another client. */
        MOUNT,
        /** An NFS gateway. */
        GATEWAY,
        /** A command of an operator. */
        ADMIN;

        /** The word for it in certificates and commands. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** The role of a word; null when there is none. */
        public static @Nullable Role of(String text) {
            return Arrays.stream(values())
                    .filter(role -> role.text().equals(text))
                    .findFirst()
                    .orElse(null);
        }
    }

    /** Somebody without a certificate. */
    public static Principal anonymous(String address) {
        return new Principal(Role.ANONYMOUS, "", address);
    }

    /** Whether it showed no certificate. */
    public boolean isAnonymous() {
        return role == Role.ANONYMOUS;
    }

    /** For people, such as {@code chunk c5 at 10.0.0.5}. */
    @Override
    public String toString() {
        String who = isAnonymous() ? "somebody" : role.text() + " " + name;
        return who + " at " + address;
    }
}
