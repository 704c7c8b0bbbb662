package io.cairn.metadata.content;

import io.cairn.metadata.content.ObjectUses.Use;
import io.cairn.metadata.state.Counters;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Transaction;
import io.cairn.metadata.state.View;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Finds the uses of all objects, for one range of objects after the other. The first range reads
 * all inodes, and notes for each group of them in which parts of the number space its objects are:
 * 16 bytes for 64 inodes. The ranges after it read only groups that can have some. Objects are
 * numbered as files are made, so those of a group lie together, but for files that were cut or
 * replaced since. For a view that does not change meanwhile, and for one thread.
 */
public final class ObjectUseScan {
    private static final int GROUP = 64;
    private static final int PARTS = Long.SIZE;
    private static final byte[] ALL = {};

    private final View view;

    /** By how many bits the number of an object is longer than that of its part. */
    private final int shift;

    private long[] firstInos = new long[GROUP];
    private long[] parts = new long[GROUP];
    private int groups;
    private int inodesOfLast = GROUP;
    private boolean known;

    /** A scan of a view that has read nothing. */
    public ObjectUseScan(View view) {
        this.view = view;
        int bits = Long.SIZE - Long.numberOfLeadingZeros(Counters.load(view).nextOid());
        this.shift = Math.max(0, bits - Integer.numberOfTrailingZeros(PARTS));
    }

    /**
     * Those of the next objects.
     *
     * @param afterOid objects have higher numbers
     * @param max about so many uses at most
     */
    public ObjectUses after(long afterOid, int max) {
        Range range = new Range(afterOid, max);
        if (known) {
            readSome(range);
        } else {
            readAll(range);
            known = true;
        }
        HeldObjects.each(view, range::add);
        return new ObjectUses(range.found, range.last);
    }

    private int part(long oid) {
        return Math.clamp(oid >> shift, 0, PARTS - 1);
    }

    private void readAll(Range range) {
        view.each(
                Family.INODE,
                (key, value) -> {
                    if (inodesOfLast == GROUP) {
                        begin(Keys.numberAt(key, 0));
                    }
                    inodesOfLast++;
                    for (Use use : ObjectUses.of(Transaction.decodeInode(value))) {
                        parts[groups - 1] |= 1L << part(use.oid());
                        range.add(use);
                    }
                });
    }

    private void begin(long ino) {
        if (groups == parts.length) {
            firstInos = Arrays.copyOf(firstInos, 2 * groups);
            parts = Arrays.copyOf(parts, 2 * groups);
        }
        firstInos[groups++] = ino;
        inodesOfLast = 0;
    }

    private void readSome(Range range) {
        int[] group = {0};
        while (group[0] < groups) {
            if (!range.mayHave(parts[group[0]])) {
                group[0]++;
                continue;
            }
            byte[] from = Keys.of(firstInos[group[0]]);
            view.scan(
                    Family.INODE,
                    ALL,
                    from,
                    (key, value) -> {
                        int next = group[0] + 1;
                        if (next < groups && Keys.numberAt(key, 0) >= firstInos[next]) {
                            group[0] = next;
                            if (!range.mayHave(parts[next])) {
                                return false;
                            }
                        }
                        ObjectUses.of(Transaction.decodeInode(value)).forEach(range::add);
                        return true;
                    });
            group[0]++;
        }
    }

    /** What was found of a range, which becomes shorter when it is too much. */
    private final class Range {
        final List<Use> found = new ArrayList<>();
        private final long afterOid;
        private final int max;
        private int most;
        long last = Long.MAX_VALUE;

        Range(long afterOid, int max) {
            this.afterOid = afterOid;
            this.max = max;
            this.most = 2 * max;
        }

        boolean mayHave(long itsParts) {
            long from = -1L << part(afterOid);
            long upTo = -1L >>> (PARTS - 1 - part(last));
            return (itsParts & from & upTo) != 0;
        }

        void add(Use use) {
            if (use.oid() > afterOid && use.oid() <= last) {
                found.add(use);
            }
            if (found.size() >= most) {
                last = ObjectUses.cut(found, max);
                // One object may have more, and is not to be sorted for each.
                most = Math.max(2 * max, 2 * found.size());
            }
        }
    }
}
