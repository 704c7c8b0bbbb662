package io.cairn.wire;

import io.cairn.cluster.Policy;

/**
 * The byte of a policy with the replicas in its four lower bits. The upper ones have the limit of
 * contents in the inode: 0 when nothing is said, 1 for none, n for 128 &lt;&lt; n bytes. More
 * replicas than there may be are one code, so that they are refused as such.
 */
final class CopiesCodec {
    private static final int TOO_MANY = 0xff;
    private static final int SHIFT = 4;
    private static final int LOWER_BITS = (1 << SHIFT) - 1;
    private static final int NONE = 1;
    private static final int UNIT = 128;

    private CopiesCodec() {}

    /** The byte for a policy. */
    static int code(Policy policy) {
        int replicas = policy.replicas();
        if (replicas < 0 || replicas > Policy.MAX_REPLICAS) {
            return TOO_MANY;
        }
        int bytes = policy.inlineBytes();
        if (bytes < 0) {
            return replicas;
        }
        int limit = bytes == 0 ? NONE : Integer.numberOfTrailingZeros(bytes / UNIT);
        return replicas | limit << SHIFT;
    }

    /** The replicas in a byte. */
    static int replicas(int code) {
        return code == TOO_MANY ? Policy.MAX_REPLICAS + 1 : code & LOWER_BITS;
    }

    /** The limit of contents in the inode in a byte, in bytes; -1 when nothing is said. */
    static int inlineBytes(int code) {
        int limit = code >> SHIFT;
        if (code == TOO_MANY || limit == 0) {
            return Policy.UNSAID_INLINE;
        }
        int bytes = limit == NONE ? 0 : UNIT << limit;
        if (!Policy.isInlineLimit(bytes)) {
            throw new MalformedMessageException("code " + limit + " of a limit of inline contents");
        }
        return bytes;
    }
}
