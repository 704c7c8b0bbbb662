package io.cairn.net.frame;

import io.cairn.net.Principal;
import io.cairn.net.Principal.Role;
import io.cairn.wire.MalformedMessageException;
import io.cairn.wire.ProtocolRange;
import org.jspecify.annotations.Nullable;

/**
 * Where a {@link FrameChannel} stands.
 *
 * <pre>
 *   NEW --HELLO received--&gt; OPEN &lt;--full, room--&gt; PAUSED
 *    |                       |                      |
 *    +------ close, break, violation -------------&gt; ENDED
 * </pre>
 */
sealed interface ChannelState {
    /** The other side, as it has told itself. */
    Peer peer();

    /** Whether the other side has said HELLO. */
    boolean isGreeted();

    /**
     * The other side.
     *
     * @param version of the protocol that both speak
     * @param release what it runs, for operators
     * @param traces whether it wants to know to which trace a request belongs
     * @param principal as its certificate tells; null before it has greeted
     */
    record Peer(int version, String release, boolean traces, @Nullable Principal principal) {
        static final Peer UNKNOWN = new Peer(ProtocolRange.FIRST, "", false, null);

        /** Who it is, at an address; nobody in particular before it has greeted. */
        Principal principalAt(String address) {
            return principal == null ? Principal.anonymous(address) : principal;
        }

        /**
         * Looks at the length of a message before there is memory for it. Who has no certificate on
         * a connection with TLS gets none of what all connections share, and so keeps out nobody.
         *
         * @throws MalformedMessageException when it is too long
         */
        void requireMaySend(int bodyBytes) {
            if (principal != null
                    && principal.role() == Role.NEWCOMER
                    && bodyBytes > Intake.SMALL_REQUEST_BYTES) {
                throw new MalformedMessageException(
                        bodyBytes + " bytes of somebody without a certificate");
            }
        }

        /** After both have greeted, and understand each other. */
        static Peer of(Greeting ours, Greeting theirs, Principal principal) {
            return new Peer(
                    ours.range().common(theirs.range()),
                    theirs.release(),
                    ours.traces() && theirs.traces(),
                    principal);
        }
    }

    /** The other side has not said HELLO. */
    record New() implements ChannelState {
        @Override
        public Peer peer() {
            return Peer.UNKNOWN;
        }

        @Override
        public boolean isGreeted() {
            return false;
        }
    }

    /** Frames go both ways. */
    record Open(Peer peer) implements ChannelState {
        @Override
        public boolean isGreeted() {
            return true;
        }
    }

    /** The same, but nothing is read: this side owes too much. */
    record Paused(Peer peer) implements ChannelState {
        @Override
        public boolean isGreeted() {
            return true;
        }
    }

    /** Nothing goes any more. */
    record Ended(Peer peer, boolean isGreeted, String reason) implements ChannelState {}
}
