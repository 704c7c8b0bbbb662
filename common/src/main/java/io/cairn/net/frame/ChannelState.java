package io.cairn.net.frame;

import io.cairn.wire.ProtocolRange;

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
     */
    record Peer(int version, String release, boolean traces) {
        static final Peer UNKNOWN = new Peer(ProtocolRange.FIRST, "", false);
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
