package io.cairn.client.session;

import java.util.ArrayDeque;

/** Inode numbers that a session has reserved and not used. Guarded by {@link YoungFiles}. */
final class NumberStock {
    /** With fewer numbers others are reserved. */
    private static final int FEW = 64;

    /** The next number and the end of each range. */
    private final ArrayDeque<long[]> ranges = new ArrayDeque<>();

    private long session;

    /** Numbers that were taken for files that are being made. */
    private int taken;

    /** Whose numbers these are; 0 while there are none. */
    long session() {
        return session;
    }

    /** Numbers for a file in this session; 0 when there is none. */
    long take(long inSession) {
        if (session != inSession || ranges.isEmpty()) {
            return 0;
        }
        long[] range = ranges.getFirst();
        long ino = range[0]++;
        if (range[0] == range[1]) {
            ranges.removeFirst();
        }
        taken++;
        return ino;
    }

    /** A number that was taken is the one of a file, or was put back. */
    void settle() {
        taken--;
    }

    /** A number was not used. */
    void putBack(long ino, long inSession) {
        if (session == inSession && session != 0) {
            ranges.addFirst(new long[] {ino, ino + 1});
        }
    }

    /** A session has reserved some; those of another one are forgotten. */
    void add(long inSession, long first, int count) {
        if (session != inSession) {
            ranges.clear();
            session = inSession;
        }
        if (count > 0) {
            ranges.add(new long[] {first, first + count});
        }
    }

    boolean isLow(long inSession) {
        return session != inSession
                || ranges.stream().mapToLong(range -> range[1] - range[0]).sum() < FEW;
    }

    /** Whether there are some, and none is taken for a file that is being made. */
    boolean canGo() {
        return taken == 0 && !ranges.isEmpty();
    }

    void clear() {
        ranges.clear();
        session = 0;
    }
}
