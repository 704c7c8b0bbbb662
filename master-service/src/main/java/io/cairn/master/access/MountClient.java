package io.cairn.master.access;

import io.cairn.base.Subnet;
import io.cairn.net.Connection;
import io.cairn.net.Principal;
import io.cairn.net.Principal.Role;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * The other side of a connection, as rules know it.
 *
 * @param host its address in digits
 * @param name of its certificate; null when it has none
 * @param user who has logged in with a password; null when nobody has
 * @param hasPasswordOnly whether it shows nothing but a password: only rules for its user count
 */
public record MountClient(
        String host, @Nullable String name, @Nullable String user, boolean hasPasswordOnly) {
    /** All addresses that a machine has for itself. */
    private static final String LOOPBACK = "127.0.0.1";

    /** Somebody who has not logged in with a password. */
    public MountClient(String host, @Nullable String name) {
        this(host, name, null);
    }

    /** Somebody who could ask without a password, too. */
    public MountClient(String host, @Nullable String name, @Nullable String user) {
        this(host, name, user, false);
    }

    /**
     * Somebody as people describe it.
     *
     * @param user who logs in. From another machine that takes TLS, so who has no name there has a
     *     password only.
     */
    public static MountClient described(String host, @Nullable String name, @Nullable String user) {
        MountClient known = new MountClient(host, name, user);
        boolean isAlone = user != null && name == null && !known.isLoopback();
        return new MountClient(host, name, user, isAlone);
    }

    /** The other side of a connection, before anybody has logged in. */
    public static MountClient of(Connection from) {
        Principal other = from.principal();
        // The name in the certificate of a user is none that rules mean: the password counts.
        boolean isUser = hasPasswordOnly(other);
        boolean hasNone = other.name().isEmpty() || isUser;
        return new MountClient(other.address(), hasNone ? null : other.name(), null, isUser);
    }

    /** Whether somebody has no right but that of a password. */
    static boolean hasPasswordOnly(Principal other) {
        return other.role() == Role.USER || other.role() == Role.NEWCOMER;
    }

    /** The same with a user, who has logged in. */
    MountClient as(String loggedIn) {
        return new MountClient(host, name, loggedIn, hasPasswordOnly);
    }

    /** The bytes of the address; null when it is none. */
    byte @Nullable [] address() {
        return Subnet.addressOf(host);
    }

    /** Whether it is on this machine. */
    boolean isLoopback() {
        byte[] address = address();
        try {
            return address != null && InetAddress.getByAddress(address).isLoopbackAddress();
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of " + host, e);
        }
    }

    /** By whom a session is owned: user, name and address; all of loopback are one. */
    public String owner() {
        String at = isLoopback() ? LOOPBACK : host;
        String machine = name == null ? at : name + "@" + at;
        return user == null ? machine : "user " + user + " of " + machine;
    }
}
