package io.cairn.simulation;

import io.cairn.simulation.Cells.Cell;
import io.cairn.wire.Limits;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What may be found in a file that one client at a time writes: all changes in order, each with
 * what was acknowledged of it. A cell may hold what the last acknowledged change left there or what
 * a later one did; a promise that faults beyond it have voided does not count.
 */
final class FileModel {
    /** Largest size of a file, in cells. */
    static final int MAX_CELLS = 700;

    /** A write may reach the servers in pieces, which end at multiples of this. */
    private static final int PIECE_CELLS = Limits.MAX_INLINE_BYTES / Cells.BYTES;

    /** The process of changes that no fsync of this file is about. */
    private static final int NOBODY = 0;

    private static final class Change {
        final long tag;
        final int from;
        final int to;
        final int sizeAfter;
        final int process;
        boolean closed;
        boolean exposed;
        boolean doubtful;

        /** Cells below are on stable media. */
        int syncedBelow;

        Change(long tag, int from, int to, int sizeAfter, int process) {
            this.tag = tag;
            this.from = from;
            this.to = to;
            this.sizeAfter = sizeAfter;
            this.process = process;
        }

        /**
         * The same in a clone.
         *
         * @param isThere whether the clone surely has it
         */
        Change inClone(boolean isThere) {
            Change copy = new Change(tag, from, to, sizeAfter, NOBODY);
            copy.syncedBelow = syncedBelow;
            copy.exposed = exposed;
            copy.doubtful = doubtful || !isThere;
            return copy;
        }

        /** Whether it holds for a cell once it was acknowledged, whatever happened since. */
        boolean isLasting(int cell) {
            return !doubtful && (cell < syncedBelow || isCut() || !exposed);
        }

        /** The masters do this, the others are done by chunk servers. */
        boolean isCut() {
            return to == Integer.MAX_VALUE;
        }

        boolean touches(int cell) {
            return from <= cell && cell < to;
        }
    }

    final long ino;

    /** With the directory in front of it, if that is another one than of most files. */
    final String name;

    private final List<Change> changes = new ArrayList<>();
    private @Nullable String owner;
    private boolean retired;

    FileModel(long ino, String name) {
        this.ino = ino;
        this.name = name;
    }

    /** Whether it is in the directory that most files are in. */
    boolean isAmongMost() {
        return name.indexOf('/') < 0;
    }

    /** The name in its directory. */
    String leaf() {
        return name.substring(name.indexOf('/') + 1);
    }

    /** Takes the file for writing; false when another does or nobody may any more. */
    boolean take(String client) {
        if (owner != null || retired) {
            return false;
        }
        owner = client;
        return true;
    }

    /** The writer is done. */
    void release() {
        owner = null;
    }

    /** Who writes it now, or null. */
    @Nullable String owner() {
        return owner;
    }

    /** A change may be under way for ever: nobody writes it any more, all may read it. */
    void retire() {
        retired = true;
        owner = null;
    }

    boolean isRetired() {
        return retired;
    }

    /** The size when all changes were made, in cells. */
    int size() {
        return changes.isEmpty() ? 0 : changes.getLast().sizeAfter;
    }

    /** A write, in cells, by a process. */
    void write(long tag, int at, int cells, int process) {
        changes.add(new Change(tag, at, at + cells, Math.max(size(), at + cells), process));
    }

    /** Cells are zeros from now on: a hole, or what the file grows by. */
    void zero(int at, int cells, boolean grows, int process) {
        int end = at + cells;
        changes.add(new Change(0, at, end, grows ? Math.max(size(), end) : size(), process));
    }

    /** A truncation, in cells. */
    void truncate(int cells, int process) {
        changes.add(new Change(0, cells, Integer.MAX_VALUE, cells, process));
    }

    /** A close, a truncation or a flush was acknowledged: all up to here is at the servers. */
    void closed() {
        changes.forEach(change -> change.closed = true);
    }

    /**
     * An fsync was acknowledged to a process: what that process wrote is on stable media, unless
     * all servers that had it lost their power before. What a truncation has cut is no part of the
     * file any more, so no sync reaches it: it is in another object, where only snapshots see it.
     */
    void synced(int process) {
        int cut = Integer.MAX_VALUE;
        for (Change change : changes.reversed()) {
            change.closed = true;
            if (change.process == process && !change.exposed) {
                change.syncedBelow = Math.max(change.syncedBelow, cut);
            }
            if (change.isCut()) {
                cut = Math.min(cut, change.from);
            }
        }
    }

    /** It was written again, as a copy: what is on stable media is elsewhere. */
    void copied() {
        changes.forEach(change -> change.syncedBelow = 0);
    }

    /** All of it is on stable media, unless it was lost before. */
    void stored() {
        for (Change change : changes) {
            if (!change.exposed) {
                change.syncedBelow = Integer.MAX_VALUE;
            }
        }
    }

    /** All servers that have it lost their power. */
    void exposed() {
        for (Change change : changes) {
            if (change.syncedBelow < Integer.MAX_VALUE) {
                change.exposed = true;
            }
        }
    }

    /**
     * The first changes, as a clone has them that is asked for now.
     *
     * @param since so many are surely in it
     * @param until so many may be in it
     */
    FileModel past(String cloneName, int since, int until) {
        FileModel past = new FileModel(0, cloneName);
        for (int i = 0; i < until; i++) {
            past.changes.add(changes.get(i).inClone(i < since));
        }
        return past;
    }

    /** The changes that a source has had since may be in its clone, too. */
    void catchUp(FileModel source) {
        for (int i = changes.size(); i < source.changes.size(); i++) {
            changes.add(source.changes.get(i).inClone(false));
        }
    }

    /**
     * A file of which the contents were read and are known from now on: what it may have had before
     * counts only where they may be lost.
     *
     * @param newIno its inode
     * @param synced whether they are on stable media
     * @param exposed whether all servers that had them may have lost their power
     */
    FileModel known(long newIno, ByteBuffer contents, boolean synced, boolean exposed) {
        FileModel known = new FileModel(newIno, name);
        known.changes.addAll(changes);
        int cells = contents.remaining() / Cells.BYTES;
        known.truncate(cells, NOBODY);
        int from = 0;
        for (int i = 1; i <= cells; i++) {
            long tag = Cells.read(contents, from).tag();
            if (i == cells || Cells.read(contents, i).tag() != tag) {
                Change change = new Change(tag, from, i, cells, NOBODY);
                change.syncedBelow = synced ? Integer.MAX_VALUE : 0;
                change.exposed = exposed;
                known.changes.add(change);
                from = i;
            }
        }
        known.closed();
        return known;
    }

    /** How many changes were acknowledged: for {@link #mismatch} of a read that begins now. */
    int acknowledged() {
        int count = 0;
        for (int i = 0; i < changes.size(); i++) {
            if (changes.get(i).closed) {
                count = i + 1;
            }
        }
        return count;
    }

    /** How many changes there are: the writer itself must see all of them. */
    int all() {
        return changes.size();
    }

    /**
     * Why contents cannot be those of this file, or null when they can.
     *
     * @param since changes before this number were acknowledged to somebody, or made by the reader
     *     itself, before it began to read
     * @param still whether nothing was changed while it was read: else it may end anywhere
     */
    @Nullable String mismatch(ByteBuffer contents, int since, boolean still) {
        return mismatch(contents, since, changes.size(), still);
    }

    /**
     * The same for contents of a moment that is over.
     *
     * @param until changes from this number on were made later
     */
    @Nullable String mismatch(ByteBuffer contents, int since, int until, boolean still) {
        Set<Integer> sizes = sizes(since, until);
        int bytes = contents.remaining();
        boolean fits = bytes % Cells.BYTES == 0 && sizes.contains(bytes / Cells.BYTES);
        if (still && !fits) {
            return name + " has " + bytes / (double) Cells.BYTES + " cells, not " + sizes;
        }
        for (int i = 0; i < bytes / Cells.BYTES; i++) {
            Cell cell;
            try {
                cell = Cells.read(contents, i);
            } catch (IllegalStateException e) {
                return name + ": " + e.getMessage();
            }
            Set<Long> tags = tags(i, since, until);
            boolean inPlace = cell.tag() == 0 || cell.index() == i;
            if (!inPlace || !tags.contains(cell.tag())) {
                return name + " cell " + i + " holds " + cell + ", not " + tags + "; " + sizes;
            }
        }
        return null;
    }

    private Set<Integer> sizes(int since, int until) {
        Set<Integer> sizes = new LinkedHashSet<>();
        int sureSize = since == 0 ? 0 : changes.get(since - 1).sizeAfter;
        for (int i = until - 1; i >= 0; i--) {
            Change change = changes.get(i);
            sizes.add(change.sizeAfter);
            if (i < since) {
                return sizes;
            }
            // What is written over what was written before cuts that into pieces.
            for (int end : new int[] {change.from, change.to}) {
                if (!change.isCut() && end > sureSize && end < size()) {
                    sizes.add(end);
                }
            }
            // Of what is not acknowledged, the last pieces may be lost: what was moved out of the
            // inode, then chunk by chunk.
            int before = i == 0 ? 0 : changes.get(i - 1).sizeAfter;
            for (int end = PIECE_CELLS; end < change.sizeAfter; end += PIECE_CELLS) {
                if (end > before) {
                    sizes.add(end);
                }
            }
        }
        sizes.add(0);
        return sizes;
    }

    private Set<Long> tags(int cell, int since, int until) {
        Set<Long> tags = new LinkedHashSet<>();
        for (int i = until - 1; i >= 0; i--) {
            Change change = changes.get(i);
            if (change.touches(cell)) {
                tags.add(change.tag);
                if (i < since && change.isLasting(cell)) {
                    return tags;
                }
            }
        }
        tags.add(0L);
        return tags;
    }
}
