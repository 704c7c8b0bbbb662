package io.cairn.wire;

import io.cairn.cluster.Policy;

/** All limits of the protocol, in one place. */
public final class Limits {
    /** Largest header (encoded message) of a frame, in bytes. */
    public static final int MAX_HEADER_BYTES = 1 << 20;

    /** Largest payload of a frame, in bytes. */
    public static final int MAX_PAYLOAD_BYTES = 4 << 20;

    /** Largest piece of a chunk that one READ or WRITE carries, in bytes. */
    public static final int MAX_IO_BYTES = 1 << 20;

    /** Unit of checksums and of alignment on disk, in bytes. */
    public static final int BLOCK_BYTES = 4096;

    /** Requests that one connection may have unanswered. Beyond it the receiver stops reading. */
    public static final int MAX_IN_FLIGHT = 1024;

    /** Connections that a listener accepts at a time. */
    public static final int MAX_CONNECTIONS = 4096;

    /** Largest contents kept in an inode, in bytes. */
    public static final int MAX_INLINE_BYTES = Policy.MAX_INLINE_BYTES;

    /** Contents kept in an inode unless the settings say otherwise, in bytes. */
    public static final int STANDARD_INLINE_BYTES = 4096;

    /** Entries of one directory page. */
    public static final int MAX_PAGE_ENTRIES = 4096;

    /** Elements of any list in a message. */
    public static final int MAX_LIST = 1 << 17;

    /** Inodes that a session holds open, each as often as it does: they fit into a KeepAlive. */
    public static final int MAX_OPEN = 100_000;

    /** Unacknowledged mutations of one session; the master refuses more. */
    public static final int MAX_SESSION_WINDOW = 1024;

    /** Bytes of all names and values of the extended attributes of one inode. */
    public static final int MAX_XATTR_TOTAL_BYTES = 1 << 20;

    /**
     * How long after its last request to the master a client may believe by itself that a name does
     * not exist, in milliseconds.
     */
    public static final long MAX_ABSENCE_MS = 1000;

    /**
     * How long after its last renewal a client may believe by itself that nobody has cut or
     * lengthened a file that it holds open, in milliseconds: longer than from one renewal to the
     * next.
     */
    public static long believesMs(long leaseMs) {
        return leaseMs / 2;
    }

    /**
     * How long a client may change names of a directory alone after it sent the last request that
     * the master has answered, in milliseconds.
     */
    public static final long RIGHT_LEASE_MS = 3000;

    /**
     * The silence after which the master takes such rights of a client, in milliseconds: by its own
     * clock, so a quarter longer.
     */
    public static final long RIGHT_TAKEN_MS = RIGHT_LEASE_MS + RIGHT_LEASE_MS / 4;

    /**
     * How long after its last renewal a chunk server may answer reads, in milliseconds. A short
     * part of the lease: a server that others cannot reach loses its place after that time. A
     * server without a master for longer asks before it answers.
     */
    public static long readLeaseMs(long leaseMs) {
        return leaseMs / 6;
    }

    private Limits() {}
}
