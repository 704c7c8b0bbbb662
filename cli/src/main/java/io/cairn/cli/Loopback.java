package io.cairn.cli;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** Tells hosts that only this machine reaches from others. */
final class Loopback {
    private Loopback() {}

    /**
     * Whether only this machine reaches a host.
     *
     * @param option who names it
     * @throws CommandException with UNAVAILABLE when nobody knows the host
     */
    static boolean holds(String option, String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            throw new CommandException(
                    ExitCode.UNAVAILABLE,
                    option + ": host " + host + " is not known; is its name right?",
                    e);
        }
    }
}
