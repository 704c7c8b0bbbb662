package io.cairn.client.file;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Layout;
import io.cairn.fs.Attributes;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Changes of the contents of one inode that the master does not know yet. Guarded by the lock of
 * the inode.
 */
final class Uncommitted {
    /** So many chunks with stored bytes are remembered, as one detour can name. */
    private static final int MAX_CHUNKS = 4096;

    /** Chunks with stored bytes, with the number of the last store in each. */
    private final NavigableMap<Long, Long> chunks = new TreeMap<>();

    private long stores;
    private long toldStores;

    /** The last store in a chunk that is not remembered; 0 when all are. */
    private long forgottenStore;

    private boolean dirty;
    private long sinceMs;
    private long end;
    private long storedEnd;
    private long mtimeNs;
    private long usedDeltaBytes;
    private long movedOid;
    private long changes;
    private boolean toldAll;
    private long toldChanges;
    private long toldUsedDeltaBytes;

    /** Whether there is anything. */
    boolean isDirty() {
        return dirty;
    }

    /** Since when there is something, on the monotonic clock. */
    long sinceMs() {
        return sinceMs;
    }

    /** The file is at least this long, in bytes; 0 when its length did not change. */
    long end() {
        return end;
    }

    /** The end of what is at the chunk servers and not told to the master. */
    long storedEnd() {
        return storedEnd;
    }

    /** The length to tell the master: not beyond what is at the chunk servers unless drained. */
    long end(boolean drained) {
        return drained ? end : Math.min(end, storedEnd);
    }

    long usedDeltaBytes() {
        return usedDeltaBytes;
    }

    /**
     * The layout changed, but not because the file was emptied. Bytes that were stored in the old
     * place since the last commit did not move along when the contents were moved elsewhere instead
     * of cut, or when those beyond the end were given up.
     *
     * @param keptEnd up to here they are kept, in bytes
     * @return the error to tell their writer; null when none are lost
     */
    @Nullable FsException lossOf(Layout before, Layout after, long keptEnd) {
        Layout.Run first = after.runs().get(0);
        Layout.Run old = before.runs().get(0);
        // Chunks that are renewed because of a snapshot leave the last object as it is.
        boolean isElsewhere =
                after.lastOid() != before.lastOid()
                        && first.oid() != old.oid()
                        && first.sourceOid() != old.oid();
        boolean moved =
                isElsewhere
                        || (first.oid() == old.oid() && !first.sharesGroups(old))
                        || after.seed() != before.seed();
        if (moved) {
            return storedEnd > keptEnd && !isInPlace(before, after)
                    ? new FsException(
                            Errno.EIO, "the file moved to other storage while it was written")
                    : null;
        }
        if (isMovedByOthers(before, after)) {
            return new FsException(
                    Errno.EIO, "a chunk of the file moved to other disks while it was written");
        }
        boolean isGivenUp =
                after.renewedOid() >= before.lastOid()
                        && storedEnd > newFrom(before, after)
                        && !isInPlace(before, after);
        return isGivenUp ? givenUp() : null;
    }

    /**
     * This mount moves chunks to other disks now, with all that it has stored in them.
     *
     * @param oid the object that gets them
     */
    void moveTo(long oid) {
        movedOid = oid;
    }

    /**
     * Whether a chunk with stored bytes was copied to other disks by another client. That has kept
     * this one from writing meanwhile, unless this one opened the file after the leader was lost
     * that knew of it.
     */
    private boolean isMovedByOthers(Layout before, Layout after) {
        if (forgottenStore == 0) {
            return chunks.keySet().stream().anyMatch(c -> isMovedByOthers(before, after, c));
        }
        long endChunk = before.chunkBehind(storedEnd);
        return after.runs().stream()
                .map(Layout.Run::firstChunk)
                .anyMatch(chunk -> chunk < endChunk && isMovedByOthers(before, after, chunk));
    }

    private boolean isMovedByOthers(Layout before, Layout after, long chunk) {
        Layout.Run then = before.runOf(chunk);
        Layout.Run now = after.runOf(chunk);
        return now.oid() != then.oid() && now.oid() != movedOid && !now.sharesGroups(then);
    }

    /** Whether all chunks with stored bytes are where they were. */
    private boolean isInPlace(Layout before, Layout after) {
        if (forgottenStore != 0
                || after.chunkSizeLog2() != before.chunkSizeLog2()
                || after.stripeWidth() != before.stripeWidth()
                || after.seed() != before.seed()) {
            return false;
        }
        for (long chunk : chunks.keySet()) {
            Layout.Run now = after.runOf(chunk);
            Layout.Run then = before.runOf(chunk);
            if (now.oid() != then.oid() || !now.sharesGroups(then)) {
                return false;
            }
        }
        return true;
    }

    /**
     * The chunks from one on with bytes that are at the chunk servers and not told to the master,
     * in ascending order; null when there are too many to know them.
     */
    long @Nullable [] storedChunks(long first) {
        return forgottenStore != 0
                ? null
                : chunks.tailMap(first).keySet().stream().mapToLong(Long::longValue).toArray();
    }

    /** From here on the objects of a layout are younger than those of an older one. */
    private static long newFrom(Layout before, Layout after) {
        for (Layout.Run run : after.runs()) {
            // Chunks that were renewed before because of a snapshot stay where they are.
            boolean isKnown = before.runOf(run.firstChunk()).oid() == run.oid();
            if (run.oid() > before.lastOid() && !isKnown) {
                return run.firstChunk() * after.chunkSizeBytes();
            }
        }
        return Long.MAX_VALUE;
    }

    /** The error of a writer whose bytes were cut off although they may be younger than the cut. */
    static FsException cutUnheard() {
        return new FsException(
                Errno.EIO,
                "another client cut the file while this one did not hear the masters, and what was"
                        + " not committed beyond the cut is lost");
    }

    /** The error of a writer whose bytes beyond the end no client waited for. */
    static FsException givenUp() {
        return new FsException(
                Errno.EIO,
                "a client was lost, and what was not committed beyond the end of the file was"
                        + " given up when it was extended");
    }

    /** The time of the last change, or another when there was none. */
    long mtimeNs(long otherwiseNs) {
        return mtimeNs == 0 ? otherwiseNs : mtimeNs;
    }

    /** Something changed. */
    void touch(long nowMs, long wallNs) {
        mtimeNs = Math.max(wallNs, mtimeNs + 1);
        changes++;
        if (!dirty) {
            dirty = true;
            sinceMs = nowMs;
        }
    }

    /** The time of the last change is set; not 0. */
    void setTime(long newMtimeNs) {
        mtimeNs = newMtimeNs;
    }

    /** The file is at least this long from now on. */
    void extend(long newEnd) {
        end = Math.max(end, newEnd);
    }

    /** Bytes up to an offset are at the chunk servers, which allocated some for them. */
    void stored(long upTo, long allocatedDeltaBytes) {
        storedEnd = Math.max(storedEnd, upTo);
        usedDeltaBytes += allocatedDeltaBytes;
    }

    /** Bytes of a chunk are at the chunk servers. */
    void storedIn(long chunk) {
        stores++;
        if (chunks.size() < MAX_CHUNKS || chunks.containsKey(chunk)) {
            chunks.put(chunk, stores);
        } else {
            forgottenStore = stores;
        }
    }

    private void forgetStores() {
        chunks.clear();
        forgottenStore = 0;
    }

    /** Data was lost: the file is only as long as what was stored or is still buffered. */
    void lost(long bufferedEnd) {
        end = Math.min(end, Math.max(storedEnd, bufferedEnd));
    }

    /** Stored bytes went to an object that is no more: only the buffered ones count. */
    void cutOff(long bufferedEnd) {
        end = Math.min(end, bufferedEnd);
        forgetStores();
        storedEnd = 0;
        usedDeltaBytes = 0;
        toldUsedDeltaBytes = 0;
    }

    /**
     * The file was cut to a length in bytes; whether that cut off anything that is not committed.
     */
    boolean cutTo(long size, long chunkSizeBytes) {
        chunks.tailMap((size + chunkSizeBytes - 1) / chunkSizeBytes).clear();
        boolean isCut = end > size || storedEnd > size;
        end = Math.min(end, size);
        storedEnd = Math.min(storedEnd, size);
        usedDeltaBytes = 0;
        toldUsedDeltaBytes = 0;
        return isCut;
    }

    /**
     * The master is being told the state as of now.
     *
     * @param drained whether nothing is buffered; else only a part is told
     */
    void beginTelling(boolean drained) {
        toldAll = drained;
        toldChanges = changes;
        toldStores = stores;
        toldUsedDeltaBytes = usedDeltaBytes;
    }

    /** The master knows what it was told. */
    void told() {
        usedDeltaBytes -= toldUsedDeltaBytes;
        toldUsedDeltaBytes = 0;
        chunks.values().removeIf(store -> store <= toldStores);
        forgottenStore = forgottenStore <= toldStores ? 0 : forgottenStore;
        if (toldAll && changes == toldChanges) {
            clear();
        }
    }

    /** Forgets everything. */
    void clear() {
        dirty = false;
        forgetStores();
        end = 0;
        storedEnd = 0;
        mtimeNs = 0;
        usedDeltaBytes = 0;
        toldUsedDeltaBytes = 0;
    }

    /** The attributes that the master knows with these on top. */
    Attributes over(Attributes known) {
        if (!dirty) {
            return known;
        }
        return known.withContents(
                Math.max(known.size(), end),
                Math.max(0, known.usedBytes() + usedDeltaBytes),
                mtimeNs(known.mtimeNs()));
    }
}
