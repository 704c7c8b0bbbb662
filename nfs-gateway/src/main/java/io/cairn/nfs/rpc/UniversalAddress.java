package io.cairn.nfs.rpc;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * Addresses as rpcbind writes them (RFC 5665, 5.2.3.3): the address, then the port as two numbers
 * of one byte, all with dots between. Pure functions.
 */
final class UniversalAddress {
    private UniversalAddress() {}

    /** The network of a protocol number and address: {@code tcp udp tcp6 udp6}. */
    static String network(int protocol, InetAddress address) {
        String name = protocol == PortmapProgram.UDP ? "udp" : "tcp";
        return address instanceof Inet6Address ? name + "6" : name;
    }

    /** The protocol number of a network; 0 for an unknown one. */
    static int protocol(String network) {
        return switch (network) {
            case "tcp", "tcp6" -> PortmapProgram.TCP;
            case "udp", "udp6" -> PortmapProgram.UDP;
            default -> 0;
        };
    }

    static String of(InetAddress address, int port) {
        String host = address.getHostAddress();
        int scope = host.indexOf('%');
        return (scope < 0 ? host : host.substring(0, scope))
                + "."
                + (port >>> 8)
                + "."
                + (port & 255);
    }

    /** Our address as the caller knows it. */
    static InetAddress local(RpcCall call) {
        InetAddress local = call.local().getAddress();
        if (!local.isAnyLocalAddress()) {
            return local;
        }
        // A datagram does not tell to which address it came: the route to its sender does.
        try (DatagramSocket route = new DatagramSocket(0)) {
            route.connect(new InetSocketAddress(call.peer().getAddress(), call.peer().getPort()));
            return route.getLocalAddress();
        } catch (IOException e) {
            return local;
        }
    }
}
