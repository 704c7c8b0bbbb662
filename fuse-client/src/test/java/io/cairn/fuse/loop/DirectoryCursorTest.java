package io.cairn.fuse.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.runtime.Clock;
import io.cairn.testkit.model.ModelFileSystem;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DirectoryCursorTest {
    private final ModelFileSystem model = new ModelFileSystem(Clock.system());
    private final OpenFiles files = new OpenFiles(model, new LockWaits(model));
    private final DirectoryCursor cursor =
            new DirectoryCursor(model, files, FileSystem.ROOT_INO, false);

    private record Entry(String name, long next, @Nullable Attributes attributes) {}

    /** Takes a number of entries at a time. */
    private static final class Portion implements DirectoryCursor.Sink {
        private final List<Entry> entries = new ArrayList<>();
        private final int room;

        Portion(int room) {
            this.room = room;
        }

        @Override
        public boolean fits(List<DirectoryEntry> group) {
            return entries.size() + group.size() <= room;
        }

        @Override
        public boolean add(
                byte[] name,
                long ino,
                FileType type,
                long nextOffset,
                @Nullable Attributes attributes) {
            if (entries.size() == room) {
                return false;
            }
            String text = new String(name, StandardCharsets.UTF_8);
            return entries.add(new Entry(text, nextOffset, attributes));
        }
    }

    private void make(int count) {
        make(0, count);
    }

    private void make(int from, int to) {
        for (int i = from; i < to; i++) {
            Name name = Name.of("f" + i);
            model.mknod(Caller.ROOT, FileSystem.ROOT_INO, name, FileType.FILE, 0644, 0);
        }
    }

    private List<Entry> read(long offset, int room, boolean withAttributes) {
        Portion portion = new Portion(room);
        cursor.read(Caller.ROOT, offset, withAttributes, portion);
        return portion.entries;
    }

    private List<Entry> readAll(int room) {
        List<Entry> all = new ArrayList<>();
        List<Entry> some = read(0, room, false);
        while (!some.isEmpty()) {
            all.addAll(some);
            some = read(some.getLast().next(), room, false);
        }
        return all;
    }

    @Test
    void everyPortionSizeGivesTheSameListing() {
        make(2500);
        List<Entry> whole = readAll(10_000);
        assertEquals(2502, whole.size());
        assertEquals(".", whole.get(0).name());
        assertEquals("..", whole.get(1).name());
        for (int room : new int[] {1, 2, 7, 1024, 1026}) {
            assertEquals(whole, readAll(room), "room for " + room);
        }
    }

    @Test
    void seekingContinuesWhereAnEntryEnded() {
        make(50);
        List<Entry> whole = readAll(100);
        for (int i = 0; i + 1 < whole.size(); i += 7) {
            assertEquals(whole.get(i + 1), read(whole.get(i).next(), 1, false).getFirst());
        }
    }

    @Test
    void rewindingShowsTheDirectoryAsItIs() {
        make(10);
        assertEquals(12, readAll(100).size());
        make(10, 20);
        model.unlink(Caller.ROOT, FileSystem.ROOT_INO, Name.of("f3"));
        Set<String> names = new HashSet<>();
        readAll(4).forEach(entry -> names.add(entry.name()));
        assertEquals(21, names.size());
    }

    @Test
    void attributesOfALaterPortionAreThoseOfNow() {
        make(20);
        List<Entry> first = read(0, 5, true);
        assertNotNull(first.getLast().attributes());
        List<Entry> rest = read(first.getLast().next(), 100, true);
        assertEquals(17, rest.size());
        Entry gone = rest.get(3);
        model.unlink(Caller.ROOT, FileSystem.ROOT_INO, Name.of(gone.name()));
        List<Entry> again = new ArrayList<>();
        List<Entry> some = read(0, 5, true);
        while (!some.isEmpty()) {
            again.addAll(some);
            some = read(some.getLast().next(), 5, true);
        }
        assertTrue(again.stream().noneMatch(entry -> entry.name().equals(gone.name())));
    }

    @Test
    void aNameRemovedAfterThePageWasFetchedHasNoAttributes() {
        make(20);
        List<Entry> first = read(0, 5, true);
        List<Entry> peek = read(first.getLast().next(), 1, true);
        String next = read(peek.getLast().next(), 1, true).getFirst().name();
        read(0, 5, true);
        model.unlink(Caller.ROOT, FileSystem.ROOT_INO, Name.of(next));
        for (Entry entry : read(first.getLast().next(), 100, true)) {
            assertEquals(entry.name().equals(next), entry.attributes() == null, entry.name());
        }
    }

    @Test
    void noRoomForOneEntryIsAnError() {
        make(1);
        FsException e = assertThrows(FsException.class, () -> read(2, 0, false));
        assertEquals(Errno.EINVAL, e.errno());
    }
}
