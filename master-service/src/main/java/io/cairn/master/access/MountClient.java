package io.cairn.master.access;

import io.cairn.base.Subnet;
import io.cairn.net.Connection;
import io.cairn.net.Principal;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * The other side of a connection, as rules know it.
 *
 * @param host its address in digits
 * @param name of its certificate; null when it has none
 * @param user who has logged in with a password; null when nobody has
 */
public record MountClient(String host, @Nullable String name, @Nullable String user) {
    /** All addresses that a machine has for itself. */
    private static final String LOOPBACK = "127.0.0.1";

    /** Somebody who has not logged in with a password. */
    public MountClient(String host, @Nullable String name) {
        this(host, name, null);
    }

    /** The other side of a connection, before anybody has logged in. */
    public static MountClient of(Connection from) {
        Principal other = from.principal();
        // The name in the certificate of a user is none that rules mean: the password counts.
        boolean hasNone = other.name().isEmpty() || other.role() == Principal.Role.USER;
        return new MountClient(other.address(), hasNone ? null : other.name());
    }

    /** The same with a user, who has logged in. */
    MountClient as(String loggedIn) {
        return new MountClient(host, name, loggedIn);
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
