package io.cairn.client.file;

import io.cairn.cluster.Layout;
import io.cairn.wire.Limits;
import io.cairn.wire.master.ContentMutation.Patch;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Contents on their way out of the inode into chunks. Guarded by the lock of the inode.
 *
 * <p>Several clients may move the contents of one file at the same time, and all of them write to
 * the same chunks; the master lets one of them win. Bytes that a client wrote itself (<em>own</em>)
 * it may put there at any time. Those that it only moves along (<em>foreign</em>) could come down
 * on younger ones that their writer has put there already. So they are put while holding the file's
 * APPEND lock, and a client that sees that another one has won puts its own bytes there once more.
 */
final class Spilling {
    private static final int LIMIT = Limits.MAX_INLINE_BYTES;

    private final BitSet mine = new BitSet();
    private byte[] own = new byte[0];
    private Layout.Run run;
    private byte[] moved = new byte[0];
    private byte[] latest;

    /**
     * The contents begin to move.
     *
     * @param run the chunks that take them
     * @param contents what they are at the master
     */
    Spilling(Layout.Run run, byte[] contents) {
        this.run = run;
        this.latest = contents;
    }

    /** This client wrote bytes; those where inline contents may be are remembered. */
    void wrote(long offset, ByteBuffer bytes) {
        if (offset >= LIMIT) {
            return;
        }
        int length = (int) Math.min(bytes.remaining(), LIMIT - offset);
        int from = (int) offset;
        if (own.length < from + length) {
            own = Arrays.copyOf(own, Math.min(LIMIT, Math.max(from + length, 2 * own.length)));
        }
        bytes.get(bytes.position(), own, from, length);
        mine.set(from, from + length);
    }

    /**
     * The contents at the master now.
     *
     * @param itsRun the last one of the layout
     * @return whether it is another object or in another pool, as when the class of the file has
     *     changed: what was put into the old one has to be put there
     */
    boolean see(byte[] contents, Layout.Run itsRun) {
        latest = contents;
        boolean isOther = itsRun.oid() != run.oid() || itsRun.poolId() != run.poolId();
        if (isOther) {
            run = itsRun;
            moved = new byte[0];
        }
        return isOther;
    }

    /** The bytes at the master that are neither own nor moved yet. */
    List<Patch> foreign() {
        List<Patch> patches = new ArrayList<>(0);
        for (int from = mine.nextClearBit(0); from < latest.length; ) {
            int end = mine.nextSetBit(from);
            int to = end < 0 ? latest.length : Math.min(end, latest.length);
            int same = from;
            while (same < to && same < moved.length && moved[same] == latest[same]) {
                same++;
            }
            if (same < to) {
                patches.add(new Patch(same, Arrays.copyOfRange(latest, same, to)));
            }
            from = mine.nextClearBit(to);
        }
        return patches;
    }

    /** Bytes written at and beyond an offset are forgotten: they were cut off. */
    void cut(int from) {
        mine.clear(from, LIMIT);
    }

    /** The foreign bytes are on their way into the chunks. */
    void foreignMoved() {
        moved = latest;
    }

    /** The bytes that this client wrote, where inline contents may have been. */
    List<Patch> own() {
        List<Patch> patches = new ArrayList<>(1);
        for (int from = mine.nextSetBit(0); from >= 0; ) {
            int to = mine.nextClearBit(from);
            patches.add(new Patch(from, Arrays.copyOfRange(own, from, to)));
            from = mine.nextSetBit(to);
        }
        return patches;
    }
}
