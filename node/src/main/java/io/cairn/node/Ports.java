package io.cairn.node;

import io.cairn.base.Wording;
import io.cairn.cluster.Endpoint;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** Looks at ports before anything is started. */
public final class Ports {
    private Ports() {}

    /**
     * Listens for a moment; port 0 is always free.
     *
     * @param option who asks for it
     * @throws CommandException with TEMPORARY when another process has the port, with USAGE when
     *     the address is none of this machine
     */
    public static void requireFree(String option, Endpoint at) {
        if (at.port() == 0) {
            return;
        }
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            InetSocketAddress address = new InetSocketAddress(at.host(), at.port());
            if (address.isUnresolved()) {
                throw new CommandException(
                        ExitCode.USAGE,
                        option + " " + at + ": host " + at.host() + " is not known");
            }
            socket.bind(address);
        } catch (BindException e) {
            throw new CommandException(
                    ExitCode.TEMPORARY,
                    option + " " + at + ": " + reason(e) + "; choose another " + option,
                    e);
        } catch (IOException e) {
            throw new CommandException(
                    ExitCode.OS_ERROR, option + " " + at + ": " + Wording.of(e), e);
        }
    }

    private static String reason(BindException error) {
        String text = String.valueOf(error.getMessage());
        return text.contains("in use")
                ? "another process listens on this port"
                : text.contains("denied")
                        ? "this user may not listen on this port"
                        : "this machine has no such address";
    }
}
