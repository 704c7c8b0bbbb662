package io.cairn.cluster;

import java.util.AbstractCollection;
import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Records by number, in the order of the numbers. A changed table shares with the one that it was
 * made of whatever did not change: a change costs what it changes, and so does finding out what two
 * tables have different. A tree of three levels: 64 records to a leaf, 1024 leaves to a branch.
 * Immutable and thread-safe.
 */
public final class Table<T extends Table.Numbered> extends AbstractCollection<T> {
    /** A record with a number, from 1. */
    public interface Numbered {
        int id();
    }

    private static final int LEAF_BITS = 6;
    private static final int BRANCH_BITS = 10;
    private static final int LEAF = 1 << LEAF_BITS;
    private static final int BRANCH = 1 << BRANCH_BITS;
    private static final Table<?> EMPTY = new Table<>(new @Nullable Object[0], 0);

    private final @Nullable Object[] branches;
    private final int size;

    private Table(@Nullable Object[] branches, int size) {
        this.branches = branches;
        this.size = size;
    }

    /** A table without records. */
    @SuppressWarnings("unchecked") // it holds none of any type
    public static <T extends Numbered> Table<T> empty() {
        return (Table<T>) EMPTY;
    }

    /** The record of a number, or null. */
    @SuppressWarnings("unchecked") // leaves hold what was put
    public @Nullable T get(int id) {
        @Nullable Object[] leaf = leaf(branches, id >>> LEAF_BITS);
        return leaf == null ? null : (T) leaf[id & (LEAF - 1)];
    }

    private static @Nullable Object @Nullable [] leaf(@Nullable Object[] branches, int number) {
        int at = number >>> BRANCH_BITS;
        Object branch = at < branches.length ? branches[at] : null;
        Object leaf = branch == null ? null : array(branch)[number & (BRANCH - 1)];
        return leaf == null ? null : array(leaf);
    }

    private static @Nullable Object[] array(Object node) {
        return (@Nullable Object[]) node;
    }

    @Override
    public int size() {
        return size;
    }

    /** The largest number of a record; 0 when there is none. */
    public int lastId() {
        for (int leaf = leaves() - 1; leaf >= 0; leaf--) {
            @Nullable Object[] records = leaf(branches, leaf);
            for (int i = LEAF - 1; records != null && i >= 0; i--) {
                if (records[i] != null) {
                    return (leaf << LEAF_BITS) + i;
                }
            }
        }
        return 0;
    }

    private int leaves() {
        return branches.length << BRANCH_BITS;
    }

    /** The same with these records, in the place of those with their numbers. */
    public Table<T> with(Iterable<? extends T> records) {
        Edit edit = new Edit();
        records.forEach(record -> edit.set(record.id(), record));
        return edit.done();
    }

    /** The same without the records of so many numbers from the first one on. */
    public Table<T> without(int first, int count) {
        Edit edit = new Edit();
        long end = (long) first + count;
        for (long id = skip(first); id < end; id = skip(id + 1)) {
            edit.set((int) id, null);
        }
        return edit.done();
    }

    /** The first number from one on that may have a record; beyond all numbers when none has. */
    private long skip(long id) {
        long at = id;
        while (at <= Integer.MAX_VALUE) {
            int number = (int) (at >>> LEAF_BITS);
            int branch = number >>> BRANCH_BITS;
            if (branch >= branches.length) {
                break;
            } else if (branches[branch] == null) {
                at = (long) (branch + 1) << (BRANCH_BITS + LEAF_BITS);
            } else if (leaf(branches, number) == null) {
                at = (number + 1L) << LEAF_BITS;
            } else {
                return at;
            }
        }
        return 1L << Integer.SIZE;
    }

    /** A table in the making; copies what it changes, once. */
    private final class Edit {
        private @Nullable Object[] top = branches.clone();
        private int count = size;

        void set(int id, @Nullable T record) {
            if (id < 1) {
                throw new IllegalArgumentException("a record of number " + id);
            }
            T before = get(top, id);
            if (before == null && record == null) {
                return;
            }
            count += (record == null ? 0 : 1) - (before == null ? 0 : 1);
            int number = id >>> LEAF_BITS;
            int at = number >>> BRANCH_BITS;
            if (at >= top.length) {
                top = Arrays.copyOf(top, at + 1);
            }
            @Nullable Object[] branch = own(top, branches, at, BRANCH);
            int below = number & (BRANCH - 1);
            Object former = at < branches.length ? branches[at] : null;
            own(branch, former == null ? null : array(former), below, LEAF)[id & (LEAF - 1)] =
                    record;
        }

        @SuppressWarnings("unchecked") // leaves hold what was put
        private @Nullable T get(@Nullable Object[] from, int id) {
            @Nullable Object[] leaf = leaf(from, id >>> LEAF_BITS);
            return leaf == null ? null : (T) leaf[id & (LEAF - 1)];
        }

        /** The node at a place, which the table that is changed does not share. */
        private static @Nullable Object[] own(
                @Nullable Object[] nodes, @Nullable Object @Nullable [] shared, int at, int width) {
            Object node = nodes[at];
            if (node == null) {
                node = new @Nullable Object[width];
            } else if (shared != null && at < shared.length && same(node, shared[at])) {
                node = array(node).clone();
            }
            nodes[at] = node;
            return array(node);
        }

        Table<T> done() {
            return new Table<>(top, count);
        }
    }

    /**
     * The difference of this table from an older one.
     *
     * @param put hears of records that are new or not equal
     * @param gone hears of the numbers of those that only the older one has
     */
    public void since(Table<T> older, Consumer<? super T> put, IntConsumer gone) {
        int most = Math.max(leaves(), older.leaves());
        for (int leaf = 0; leaf < most; leaf++) {
            if (leaf % BRANCH == 0 && same(branch(leaf), older.branch(leaf))) {
                leaf += BRANCH - 1;
            } else if (!same(leaf(branches, leaf), leaf(older.branches, leaf))) {
                leafSince(older, leaf << LEAF_BITS, put, gone);
            }
        }
    }

    /** Whether it is the one node that both tables share. */
    @SuppressWarnings("ReferenceEquality") // Equal contents are not the question.
    private static boolean same(@Nullable Object one, @Nullable Object other) {
        return one == other;
    }

    private @Nullable Object branch(int leaf) {
        int at = leaf >>> BRANCH_BITS;
        return at < branches.length ? branches[at] : null;
    }

    private void leafSince(Table<T> older, int first, Consumer<? super T> put, IntConsumer gone) {
        for (int id = first; id < first + LEAF; id++) {
            T now = get(id);
            T before = older.get(id);
            if (now == null && before != null) {
                gone.accept(id);
            } else if (now != null && !now.equals(before)) {
                put.accept(now);
            }
        }
    }

    @Override
    public Iterator<T> iterator() {
        return new Iterator<>() {
            private long id;
            private int left = size;

            @Override
            public boolean hasNext() {
                return left > 0;
            }

            @Override
            public T next() {
                while (left > 0) {
                    id = skip(id + 1);
                    T record = get((int) id);
                    if (record != null) {
                        left--;
                        return record;
                    }
                }
                throw new NoSuchElementException();
            }
        };
    }

    @Override
    public boolean equals(@Nullable Object other) {
        if (!(other instanceof Table<?> table) || size != table.size) {
            return false;
        }
        Iterator<T> mine = iterator();
        for (Object each : table) {
            if (!Objects.equals(each, mine.next())) {
                return false;
            }
        }
        return true;
    }

    @Override
    public int hashCode() {
        int hash = size;
        for (T record : this) {
            hash = 31 * hash + record.hashCode();
        }
        return hash;
    }
}
