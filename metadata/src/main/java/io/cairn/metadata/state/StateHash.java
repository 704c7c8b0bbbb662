package io.cairn.metadata.state;

import io.cairn.metadata.state.Store.Change;
import io.cairn.metadata.state.Store.Family;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/**
 * A number that all changes since the cluster was founded have made: equal on all masters that
 * applied the same entries to the same state. It costs two checksums for each changed key, and is
 * stored with each batch, so that checkpoints and restarts keep it. Changes of one batch may come
 * in any order.
 *
 * <p>It finds what one master did in another way than the others, not what a disk damaged later.
 *
 * <p>Belongs to the apply thread; anybody may read {@link #marks}.
 */
public final class StateHash {
    /** How far the entries are apart after which the number is noted, as powers of two. */
    private static final int[] SPACING = {6, 10, 14};

    private static final int KEPT_EACH = 4;

    private final CRC32C crc = new CRC32C();
    private final List<ArrayDeque<Mark>> noted = new ArrayList<>();
    private long value;
    private long due;
    private volatile List<Mark> marks = List.of();

    /**
     * The number after an entry.
     *
     * @param index the last entry that it covers
     */
    public record Mark(long index, long hash) {}

    private StateHash(long value, long appliedIndex) {
        this.value = value;
        due = next(appliedIndex - 1);
        for (int _ : SPACING) {
            noted.add(new ArrayDeque<>());
        }
    }

    /** Goes on from what a store holds. */
    public static StateHash load(Store store) {
        byte[] stored = store.get(Family.META, Keys.stateHash());
        long value = stored == null ? 0 : Keys.open(Family.META, stored).i64();
        return new StateHash(value, store.appliedIndex());
    }

    /** The first entry after another one behind which the number is noted. */
    private static long next(long index) {
        return ((index >> SPACING[0]) + 1) << SPACING[0];
    }

    /**
     * Takes a batch, whose entry is behind all that came before.
     *
     * @return the batch with the change of the number itself; unchanged when it is empty
     */
    public List<Change> follow(List<Change> changes, long index) {
        if (index > due) {
            note();
            due = next(index - 1);
        }
        if (changes.isEmpty()) {
            return changes;
        }
        long sum = 0;
        for (Change change : changes) {
            sum += hash(change);
        }
        value = mix(value * 31 + sum);
        List<Change> all = new ArrayList<>(changes);
        all.add(new Change(Family.META, Keys.stateHash(), Keys.value(9).i64(value).toBytes()));
        return all;
    }

    private void note() {
        Mark mark = new Mark(due, value);
        TreeMap<Long, Mark> all = new TreeMap<>();
        for (int i = 0; i < SPACING.length; i++) {
            ArrayDeque<Mark> level = noted.get(i);
            if ((due & ((1L << SPACING[i]) - 1)) == 0) {
                level.add(mark);
            }
            if (level.size() > KEPT_EACH) {
                level.remove();
            }
            level.forEach(each -> all.put(each.index(), each));
        }
        marks = List.copyOf(all.values());
    }

    /** The number after some of the last entries, which are the same entries on all masters. */
    public List<Mark> marks() {
        return marks;
    }

    private long hash(Change change) {
        crc.reset();
        crc.update(change.key());
        long key = crc.getValue();
        byte[] content = change.value();
        long of = 0;
        if (content != null) {
            crc.reset();
            crc.update(content);
            of = crc.getValue() + (1L << 32);
        }
        return mix(mix(key + ((long) change.family().name().hashCode() << 32)) + of);
    }

    /** The finalizer of MurmurHash3, by Austin Appleby: each bit in decides over each bit out. */
    private static long mix(long number) {
        long mixed = number;
        mixed = (mixed ^ (mixed >>> 33)) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return mixed ^ (mixed >>> 33);
    }
}
