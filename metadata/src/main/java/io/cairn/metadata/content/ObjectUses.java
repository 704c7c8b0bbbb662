package io.cairn.metadata.content;

import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.PastInode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * The parts of objects that inodes need, for a range of objects at a time: so memory is bounded
 * however many there are. {@link ObjectUseScan} finds them. Immutable.
 */
public final class ObjectUses {
    private static final Comparator<Use> ORDER =
            Comparator.comparingLong(Use::oid)
                    .thenComparingLong(Use::ino)
                    .thenComparingLong(Use::fromChunk);

    private final List<Use> uses;
    private final long lastOid;

    /**
     * Chunks [fromChunk, endChunk) of an object that an inode needs.
     *
     * @param ino the inode, as a snapshot has it when only snapshots need them; 0 when they are
     *     held for snapshots, more of them than any shows perhaps
     */
    public record Use(long oid, long ino, int poolId, long fromChunk, long endChunk) {
        /** Whether an inode needs exactly them. */
        boolean isExact() {
            return ino != 0;
        }

        /** Whether only snapshots need them. */
        public boolean isOfSnapshots() {
            return ino == 0 || PastInode.isPast(ino);
        }

        /** Whether it needs a chunk of the object in a pool. */
        public boolean covers(int pool, long chunk) {
            return poolId == pool && fromChunk <= chunk && chunk < endChunk;
        }
    }

    /** Of a range up to an object: those that were found, in any order. */
    ObjectUses(List<Use> found, long lastOid) {
        this.uses = found.stream().sorted(ORDER).toList();
        this.lastOid = lastOid;
    }

    /** Drops the last half, and returns the last object that is left, whole. */
    static long cut(List<Use> found, int max) {
        found.sort(ORDER);
        long last = found.get(max - 1).oid;
        int end = max;
        while (end < found.size() && found.get(end).oid == last) {
            end++;
        }
        found.subList(end, found.size()).clear();
        return last;
    }

    /** What an inode needs. */
    public static List<Use> of(Inode inode) {
        Layout layout = inode.layout();
        if (layout == null) {
            return List.of();
        }
        List<Use> uses = new ArrayList<>();
        List<Layout.Run> runs = layout.runs();
        for (int i = 0; i < runs.size(); i++) {
            Layout.Run run = runs.get(i);
            boolean isLast = i == runs.size() - 1;
            long first = run.firstChunk();
            long end = isLast ? ObjectLedger.TO_END : runs.get(i + 1).firstChunk();
            uses.add(new Use(run.oid(), inode.ino(), run.poolId(), first, end));
            if (run.sourceOid() != 0) {
                uses.add(new Use(run.sourceOid(), inode.ino(), run.poolId(), first, first + 1));
            }
        }
        return uses;
    }

    /** The last object of the range; the largest number when there are no more. */
    public long lastOid() {
        return lastOid;
    }

    /** All of the range, those of one object behind each other. */
    public List<Use> all() {
        return uses;
    }

    /** The uses of an object of the range. */
    public List<Use> of(long oid) {
        int at = Collections.binarySearch(uses, new Use(oid, Long.MIN_VALUE, 0, 0, 0), ORDER);
        int from = at < 0 ? -at - 1 : at;
        int end = from;
        while (end < uses.size() && uses.get(end).oid == oid) {
            end++;
        }
        return uses.subList(from, end);
    }
}
