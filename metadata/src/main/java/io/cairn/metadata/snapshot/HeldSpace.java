package io.cairn.metadata.snapshot;

import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Layout.Run;
import io.cairn.cluster.Policy;
import io.cairn.metadata.state.HistoryKeys;
import io.cairn.metadata.state.InodeCache;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.StoredState;
import io.cairn.metadata.state.Transaction;
import io.cairn.metadata.state.View;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Counts the space that snapshots hold: chunks that inodes had when they were taken and have no
 * more. It reads all inodes that were kept for snapshots, and nothing of the living tree but these.
 *
 * <p>Among the versions of an inode an object has a chunk without interruption, whatever size the
 * file has. So the oldest and the youngest version with the chunk tell all snapshots that show it.
 * Holes count as bytes: the masters do not know them. What a file gives to another one, which
 * happens while its contents move to other servers, counts as held until the other one is removed.
 * Chunks that a clone still uses count when their file has them no more.
 *
 * <p>For one thread, and one use.
 */
public final class HeldSpace {
    private final StoredState state;
    private final IntUnaryOperator copies;
    private final long maxRecords;
    private final List<SnapshotRecord> snapshots;
    private final Map<Integer, Long> alone = new HashMap<>();
    private long totalBytes;
    private long records;
    private boolean isStopped;

    /** The shown versions of the inode that is being read: its chunks so far, by place. */
    private List<Piece> open = List.of();

    private long openIno;

    /**
     * What is held.
     *
     * @param totalBytes by all snapshots, with all copies
     * @param aloneBytes by one snapshot and no other, by its number: what dropping it frees
     * @param isComplete false when there were more records than were asked for, or it was stopped
     */
    public record Outcome(long totalBytes, Map<Integer, Long> aloneBytes, boolean isComplete) {}

    /**
     * Which snapshots show something of a file, and how much of it.
     *
     * @param oldest the place of the first snapshot
     * @param youngest the place of the last one
     * @param sizeBytes the largest size of the file in them
     */
    private record Shown(int oldest, int youngest, long sizeBytes, int chunkSizeLog2) {
        Shown and(Shown later) {
            long size = Math.max(sizeBytes, later.sizeBytes);
            return new Shown(oldest, later.youngest, size, chunkSizeLog2);
        }
    }

    /** Chunks of a file that lie behind each other in one object; the last ones have no end. */
    private record Piece(long from, long end, int poolId, long oid, Shown shown) {
        boolean isSameObject(Piece other) {
            return oid == other.oid && poolId == other.poolId;
        }

        Piece part(long partFrom, long partEnd, Shown by) {
            return new Piece(partFrom, partEnd, poolId, oid, by);
        }

        long lengthBytes() {
            int shift = shown.chunkSizeLog2;
            if (from > shown.sizeBytes >>> shift) {
                return 0;
            }
            long to = end > shown.sizeBytes >>> shift ? shown.sizeBytes : end << shift;
            return to - (from << shift);
        }
    }

    /**
     * Prepares a count.
     *
     * @param state stays the caller's to close
     * @param copies how many copies a pool keeps
     * @param maxRecords so many kept records are read at most
     */
    public HeldSpace(StoredState state, IntUnaryOperator copies, long maxRecords) {
        this.state = state;
        this.copies = copies;
        this.maxRecords = maxRecords;
        snapshots =
                SnapshotRecord.all(new View(state, new InodeCache())).stream()
                        .filter(SnapshotRecord::isLive)
                        .sorted(Comparator.comparingLong(SnapshotRecord::version))
                        .toList();
    }

    /**
     * Counts.
     *
     * @param stop asked before each record, on this thread: whether to read no more
     */
    public Outcome count(BooleanSupplier stop) {
        snapshots.forEach(each -> alone.put(each.number(), 0L));
        byte[] inodes = HistoryKeys.prefix(Family.INODE, new byte[0]);
        state.scan(
                Family.HISTORY,
                inodes,
                inodes,
                (key, value) -> {
                    isStopped = stop.getAsBoolean();
                    if (isStopped || records == maxRecords) {
                        return false;
                    }
                    records++;
                    kept(key, value);
                    return true;
                });
        finish();
        return new Outcome(totalBytes, Map.copyOf(alone), !isStopped && records < maxRecords);
    }

    private void kept(byte[] key, byte[] value) {
        long ino = Keys.numberAt(HistoryKeys.record(key), 0);
        if (ino != openIno) {
            finish();
            openIno = ino;
        }
        int oldest = firstFrom(Keys.versionOf(value));
        int youngest = firstFrom(HistoryKeys.end(key)) - 1;
        if (oldest <= youngest) {
            follow(pieces(Transaction.decodeInode(value), oldest, youngest));
        }
    }

    /** The place of the first snapshot that shows a mutation. */
    private int firstFrom(long version) {
        int low = 0;
        int high = snapshots.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (snapshots.get(middle).version() < version) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** What the living inode has is not held. */
    private void finish() {
        if (!open.isEmpty()) {
            byte[] head = state.get(Family.INODE, Keys.of(openIno));
            Inode inode = head == null ? null : Transaction.decodeInode(head);
            follow(inode == null ? List.of() : pieces(inode, 0, 0));
            open = List.of();
        }
    }

    /** The next version, or the living inode: what it has not is held. */
    private void follow(List<Piece> next) {
        List<Piece> both = new ArrayList<>();
        long at = 0;
        int i = 0;
        int j = 0;
        while (i < open.size() || j < next.size()) {
            Piece before = i < open.size() ? open.get(i) : null;
            Piece after = j < next.size() ? next.get(j) : null;
            long until = Math.min(bound(before, at), bound(after, at));
            boolean wasThere = before != null && before.from <= at;
            boolean isThere = after != null && after.from <= at;
            if (before != null && wasThere && after != null && isThere) {
                if (before.isSameObject(after)) {
                    both.add(before.part(at, until, before.shown.and(after.shown)));
                } else {
                    hold(before.part(at, until, before.shown));
                    both.add(after.part(at, until, after.shown));
                }
            } else if (before != null && wasThere) {
                hold(before.part(at, until, before.shown));
            } else if (after != null && isThere) {
                both.add(after.part(at, until, after.shown));
            }
            at = until;
            i += before != null && before.end == at ? 1 : 0;
            j += after != null && after.end == at ? 1 : 0;
        }
        open = both;
    }

    /** Where a piece begins, or ends, behind a chunk. */
    private static long bound(@Nullable Piece piece, long at) {
        return piece == null ? Long.MAX_VALUE : piece.from > at ? piece.from : piece.end;
    }

    private void hold(Piece piece) {
        long count = piece.poolId == 0 ? 0 : copies.applyAsInt(piece.poolId);
        long length = Math.min(piece.lengthBytes(), Long.MAX_VALUE / (Policy.MAX_REPLICAS + 1));
        long bytes = length * count;
        totalBytes = sum(totalBytes, bytes);
        if (piece.shown.oldest == piece.shown.youngest) {
            int number = snapshots.get(piece.shown.youngest).number();
            alone.merge(number, bytes, HeldSpace::sum);
        }
    }

    /** Sparse files may be longer than any disk. */
    private static long sum(long one, long other) {
        return one > Long.MAX_VALUE - other ? Long.MAX_VALUE : one + other;
    }

    private static List<Piece> pieces(Inode inode, int oldest, int youngest) {
        Layout layout = inode.layout();
        if (layout == null || inode.inline() != null) {
            return List.of();
        }
        Shown shown =
                new Shown(oldest, youngest, inode.attributes().size(), layout.chunkSizeLog2());
        List<Piece> pieces = new ArrayList<>();
        List<Run> runs = layout.runs();
        for (int i = 0; i < runs.size(); i++) {
            Run run = runs.get(i);
            boolean isLast = i + 1 == runs.size();
            long end = isLast ? Long.MAX_VALUE : runs.get(i + 1).firstChunk();
            pieces.add(new Piece(run.firstChunk(), end, run.poolId(), run.oid(), shown));
        }
        return pieces;
    }
}
