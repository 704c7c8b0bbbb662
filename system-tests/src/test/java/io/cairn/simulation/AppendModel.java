package io.cairn.simulation;

import io.cairn.simulation.Cells.Cell;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A file to which all clients append records. Every acknowledged record is there once and whole,
 * those of one client in their order; a record without an acknowledgement may be there, but nothing
 * of it may stand inside of another.
 */
final class AppendModel {
    private static final class Entry {
        final String writer;
        final int cells;
        boolean closed;
        boolean synced;
        boolean exposed;
        boolean failed;

        Entry(String writer, int cells) {
            this.writer = writer;
            this.cells = cells;
        }
    }

    private final Map<Long, Entry> entries = new LinkedHashMap<>();
    private long ino;

    long ino() {
        return ino;
    }

    void made(long newIno) {
        ino = newIno;
    }

    /** A record is given to the client. */
    void append(String process, long tag, int cells) {
        entries.put(tag, new Entry(process, cells));
    }

    /** A close or fsync of a process succeeded. */
    void acknowledged(String process, boolean sync) {
        entries.values().stream()
                .filter(each -> each.writer.equals(process) && !each.failed)
                .forEach(
                        each -> {
                            each.closed = true;
                            each.synced |= sync && !each.exposed;
                        });
    }

    /** What is not acknowledged of a process may never be. */
    void failed(String process) {
        entries.values().stream()
                .filter(each -> each.writer.equals(process) && !each.closed)
                .forEach(each -> each.failed = true);
    }

    /** All servers that have it lost their power. */
    void exposed() {
        entries.values().stream().filter(each -> !each.synced).forEach(each -> each.exposed = true);
    }

    /** The records that must be found by who begins to read now. */
    Set<Long> acknowledged() {
        Set<Long> tags = new HashSet<>();
        entries.forEach(
                (tag, entry) -> {
                    if (entry.closed) {
                        tags.add(tag);
                    }
                });
        return tags;
    }

    private boolean mayBeBroken(Entry entry) {
        return !entry.closed || (entry.exposed && !entry.synced);
    }

    private boolean mayHaveHoles() {
        return entries.values().stream().anyMatch(this::mayBeBroken);
    }

    /**
     * Why contents cannot be those of this file, or null when they can.
     *
     * @param needed what was {@link #acknowledged} before the read began
     */
    @Nullable String mismatch(ByteBuffer contents, Set<Long> needed) {
        int count = contents.remaining() / Cells.BYTES;
        if (contents.remaining() % Cells.BYTES != 0) {
            return "log ends within a record: " + contents.remaining() + " bytes";
        }
        Set<Long> found = new HashSet<>();
        Map<String, Long> last = new HashMap<>();
        for (int at = 0; at < count; ) {
            Cell cell;
            try {
                cell = Cells.read(contents, at);
            } catch (IllegalStateException e) {
                return "log: " + e.getMessage();
            }
            Entry entry = entries.get(cell.tag());
            if (entry == null) {
                if (cell.tag() != 0 || !mayHaveHoles()) {
                    return "log cell " + at + " of " + count + " holds " + cell;
                }
                at++;
                continue;
            }
            int length = wholeCells(contents, at, cell, entry, count);
            if (length < entry.cells && !mayBeBroken(entry)) {
                return "log record " + cell + " at cell " + at + " of " + count + " is torn";
            }
            if (length == entry.cells) {
                if (!found.add(cell.tag())) {
                    return "log record " + cell.tag() + " is there twice";
                }
                Long before = last.put(entry.writer, cell.tag());
                if (before != null && before > cell.tag()) {
                    return "log record " + cell.tag() + " stands behind " + before;
                }
            }
            at += length;
        }
        for (long tag : needed) {
            Entry entry = entries.get(tag);
            if (entry != null && !mayBeBroken(entry) && !found.contains(tag)) {
                return "log record " + tag + " of " + entry.writer + " is lost, size " + count;
            }
        }
        return null;
    }

    /** How many cells of one record stand here in a row, at least 1; all when it is whole. */
    private static int wholeCells(ByteBuffer contents, int at, Cell first, Entry entry, int count) {
        if (first.index() != 0) {
            return 1;
        }
        int length = 1;
        while (length < entry.cells && at + length < count) {
            Cell next;
            try {
                next = Cells.read(contents, at + length);
            } catch (IllegalStateException e) {
                return length;
            }
            if (next.tag() != first.tag() || next.index() != length) {
                return length;
            }
            length++;
        }
        return length;
    }
}
