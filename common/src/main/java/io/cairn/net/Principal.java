package io.cairn.net;

import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The other side of a connection, as its certificate tells. It is known before the first message
 * arrives and stays the same until the connection ends.
 *
 * @param role its task in the cluster; {@link Role#ANONYMOUS} on a connection without certificates
 * @param name its name within the role, such as that of a chunk server; empty without a certificate
 * @param address the address it speaks from, without its port
 */
public record Principal(Role role, String name, String address) {
    /** The tasks that a certificate is made for. */
    public enum Role {
        /** Nobody in particular: a connection without TLS. */
        ANONYMOUS,
        /** Somebody without a certificate on a connection with TLS, who may log in and join. */
        NEWCOMER,
        /** A master. */
        MASTER,
        /** A chunk server. */
        CHUNK,
        /** A mount, or another client. */
        MOUNT,
        /** An NFS gateway. */
        GATEWAY,
        /** A command of an operator. */
        ADMIN,
        /** A mount whose certificate was given to a user with a password. */
        USER;

        /** The word for it in certificates and commands. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Whether there are certificates for it. */
        public boolean isCertified() {
            return this != ANONYMOUS && this != NEWCOMER;
        }

        /** Whether there are join tokens for it: users get certificates for passwords. */
        public boolean isInvited() {
            return isCertified() && this != USER;
        }

        /** The role of a word that a certificate can have; null when there is none. */
        public static @Nullable Role of(String text) {
            return Arrays.stream(values())
                    .filter(role -> role.isCertified() && role.text().equals(text))
                    .findFirst()
                    .orElse(null);
        }
    }

    /** Somebody without a certificate. */
    public static Principal anonymous(String address) {
        return new Principal(Role.ANONYMOUS, "", address);
    }

    /** Whether the connection has no TLS, so that nobody can know who it is. */
    public boolean isAnonymous() {
        return role == Role.ANONYMOUS;
    }

    /** Role and name, such as {@code mount.laptop7}: the same wherever it speaks from. */
    public String id() {
        return role.text() + "." + name;
    }

    /** For people, such as {@code chunk c5 at 10.0.0.5}. */
    @Override
    public String toString() {
        String who = role.isCertified() ? role.text() + " " + name : "somebody";
        return who + " at " + address;
    }
}
