package io.cairn.wire;

/**
 * The versions of the protocol that one side understands, told in the first frame of a connection.
 * A connection speaks the highest version that both sides understand.
 *
 * <p>A version counts everything that services say to each other and everything that masters log:
 * whatever is added to a message, or is done differently with one, gets the next number. Encoders
 * and decoders know the version they speak, so that a message can leave out what is younger and
 * read it as its default.
 *
 * @param oldest 1 or more
 * @param newest not below the oldest
 */
public record ProtocolRange(int oldest, int newest) {
    /** The first version there was. */
    public static final int FIRST = 1;

    /** The versions that this release understands. */
    public static final ProtocolRange OURS = new ProtocolRange(FIRST, FIRST);

    /** Checks the order. */
    public ProtocolRange {
        if (oldest < FIRST || newest < oldest) {
            throw new MalformedMessageException("protocol versions " + oldest + " to " + newest);
        }
    }

    /** The same, but nothing above a version, which is in the range. */
    public ProtocolRange upTo(int version) {
        return version >= newest ? this : new ProtocolRange(oldest, version);
    }

    /** The highest version that both understand; 0 when there is none. */
    public int common(ProtocolRange other) {
        int highest = Math.min(newest, other.newest);
        return highest >= Math.max(oldest, other.oldest) ? highest : 0;
    }

    /**
     * Why a connection with somebody without a common version is refused, and what to do.
     *
     * @param who the other side
     * @param theirs what it understands
     */
    public String refusal(Object who, ProtocolRange theirs) {
        return "%s speaks protocol %s, this side %s: upgrade %s"
                .formatted(who, theirs, this, theirs.newest < oldest ? who : "this side");
    }

    @Override
    public String toString() {
        return oldest == newest ? "version " + oldest : "versions " + oldest + " to " + newest;
    }
}
