package io.cairn.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** A TCP port of the loopback interface that nobody used a moment ago. */
final class FreePort {
    private FreePort() {}

    static int find() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new CommandException(ExitCode.OS_ERROR, "no free TCP port: " + e.getMessage(), e);
        }
    }
}
