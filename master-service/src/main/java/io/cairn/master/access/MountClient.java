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
 */
public record MountClient(String host, @Nullable String name) {
    /** All addresses that a machine has for itself. */
    private static final String LOOPBACK = "127.0.0.1";

    /** The other side of a connection. */
    public static MountClient of(Connection from) {
        Principal other = from.principal();
        return new MountClient(other.address(), other.name().isEmpty() ? null : other.name());
    }

    /** The bytes of the address; null when it is none. */
    byte @Nullable [] address() {
        return Subnet.addressOf(host);
    }

    /** By whom a session is owned: the name and the address; all of loopback are one. */
    public String owner() {
        byte[] address = address();
        try {
            boolean isHere =
                    address != null && InetAddress.getByAddress(address).isLoopbackAddress();
            String at = isHere ? LOOPBACK : host;
            return name == null ? at : name + "@" + at;
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of " + host, e);
        }
    }
}
