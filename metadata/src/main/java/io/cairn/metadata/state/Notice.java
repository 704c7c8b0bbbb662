package io.cairn.metadata.state;

import io.cairn.wire.master.Push;

/**
 * Something a session should hear about as a consequence of an applied log entry. Every master
 * computes them, only the leader sends them; they may be lost.
 *
 * @param session whom to tell; 0 = all sessions; {@link #WRITERS} = those that write there
 * @param push what to tell
 * @param ino with {@link #WRITERS}: what counts for other accounts now, with all below it; else 0
 */
public record Notice(long session, Push push, long ino) {
    /** The sessions that may write to an inode, or below it, under quotas as they were. */
    public static final long WRITERS = -1;

    /** One for a session, or for all. */
    public Notice(long session, Push push) {
        this(session, push, 0);
    }
}
