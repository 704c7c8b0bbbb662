package io.cairn.chunk.store.format;

import java.io.IOException;

/**
 * New table entries for consecutive blocks, which can be taken back. Changes the map only; used
 * under the locks of its blob.
 */
public final class BlockChange {
    private final BlockMap map;
    private final int first;
    private final int count;
    private final int[] newEntries;
    private final int[] oldEntries;
    private final boolean[] fresh;
    private int freshCount;

    /** Gives {@code entries.length} blocks new entries and marks them allocated. */
    public BlockChange(BlockMap map, int first, int[] entries) {
        this.map = map;
        this.first = first;
        this.count = entries.length;
        this.newEntries = entries;
        this.oldEntries = new int[count];
        this.fresh = new boolean[count];
        for (int i = 0; i < count; i++) {
            int block = first + i;
            oldEntries[i] = map.entry(block);
            fresh[i] = !map.isAllocated(block);
            freshCount += fresh[i] ? 1 : 0;
            map.setEntry(block, entries[i]);
            map.setAllocated(block, true);
        }
    }

    public int first() {
        return first;
    }

    public int count() {
        return count;
    }

    /** Blocks that were holes. */
    public int freshCount() {
        return freshCount;
    }

    /** Takes it back. */
    public void undo() {
        for (int i = 0; i < count; i++) {
            map.setEntry(first + i, oldEntries[i]);
            map.setAllocated(first + i, !fresh[i]);
        }
    }

    /** Makes it again. */
    public void redo() {
        for (int i = 0; i < count; i++) {
            map.setEntry(first + i, newEntries[i]);
            map.setAllocated(first + i, true);
        }
    }

    /** Sees maximal runs of blocks that were holes, or that were not. */
    public interface RunVisitor {
        /** One run, counted from the first block of the change. */
        void visit(int firstIndex, int count) throws IOException;
    }

    /** Visits the runs of one kind in order. */
    public void visitRuns(boolean ofFresh, RunVisitor visitor) throws IOException {
        int at = 0;
        while (at < count) {
            int end = at + 1;
            while (end < count && fresh[end] == fresh[at]) {
                end++;
            }
            if (fresh[at] == ofFresh) {
                visitor.visit(at, end - at);
            }
            at = end;
        }
    }
}
