package io.cairn.node;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** Names of this machine, and hosts that only this machine reaches. */
public final class Loopback {
    private Loopback() {}

    /**
     * Whether only this machine reaches a host.
     *
     * @param option who names it
     * @throws CommandException with UNAVAILABLE when nobody knows the host
     */
    public static boolean holds(String option, String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            throw new CommandException(
                    ExitCode.UNAVAILABLE,
                    option + ": host " + host + " is not known; is its name right?",
                    e);
        }
    }

    /** The name of this machine; {@code localhost} when it has none. */
    public static String machineName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }
}
