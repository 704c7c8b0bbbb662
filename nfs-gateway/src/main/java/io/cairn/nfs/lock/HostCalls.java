package io.cairn.nfs.lock;

import io.cairn.nfs.rpc.XdrReader;
import io.cairn.nfs.rpc.XdrWriter;
import java.net.InetAddress;
import java.util.function.Consumer;

/** Calls to services of client machines. Thread-safe; blocks for a bounded time. */
interface HostCalls extends AutoCloseable {
    /**
     * Whom to call.
     *
     * @param address of the machine
     * @param from the address of ours that it knows
     * @param program program number
     * @param version program version
     */
    record Callee(InetAddress address, InetAddress from, int program, int version) {}

    /** No answer came. */
    final class NoAnswer extends Exception {
        private static final long serialVersionUID = 1L;
        private final boolean delivered;

        /**
         * With a reason.
         *
         * @param delivered whether the call may have been received all the same
         */
        NoAnswer(String message, boolean delivered) {
            super(message, null, false, false);
            this.delivered = delivered;
        }

        boolean mayBeDelivered() {
            return delivered;
        }
    }

    /**
     * Calls and waits.
     *
     * @return the results of an accepted and successful call
     * @throws NoAnswer when the machine cannot be reached, does not serve the program, or does not
     *     answer in time
     */
    XdrReader call(Callee callee, int procedure, Consumer<XdrWriter> arguments) throws NoAnswer;

    @Override
    void close();
}
