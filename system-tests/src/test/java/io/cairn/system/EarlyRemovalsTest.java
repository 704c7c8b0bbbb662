package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.CairnFileSystem;
import io.cairn.fs.AsyncChanges;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.DirectoryPage;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A mount that takes names away before the masters know it, and another one that looks. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class EarlyRemovalsTest {
    private static final Caller CALLER = Caller.checkedByKernel(0, 0);
    private static final int FILES = 1000;

    @TempDir(factory = MemoryDirectory.class)
    private static Path directory;

    private TestCluster cluster;
    private CairnFileSystem a;
    private CairnFileSystem b;
    private int directories;

    @BeforeAll
    void start() throws Exception {
        cluster = new TestCluster(directory, 2, 1);
        a = cluster.client("a");
        a.mount().master().young().turnOn();
        a.answerEarly();
        b = cluster.client("b");
    }

    @AfterAll
    void stop() throws Exception {
        cluster.close();
    }

    private static <T> T done(CompletableFuture<T> change) throws Exception {
        return change.get(30, TimeUnit.SECONDS);
    }

    private AsyncChanges changes() {
        return Objects.requireNonNull(a.async(CALLER));
    }

    private long mkdir(long parent, Name name) throws Exception {
        return done(changes().mkdir(CALLER, parent, name, 0755)).ino();
    }

    private Name nextDirectory() {
        return Name.of("d" + directories++);
    }

    private static Name file(int i) {
        return Name.of("f" + i);
    }

    private void make(long parent, Name name) throws Exception {
        int flags = FileSystem.O_RDWR | FileSystem.O_EXCL;
        var made = changes().create(CALLER, parent, name, 0644, flags);
        try (OpenFile file = done(Objects.requireNonNull(made)).file()) {
            file.write(0, ByteBuffer.wrap(new byte[] {'x'}));
        }
    }

    /** A directory with files. */
    private long filled(long parent, Name name, int count) throws Exception {
        long ino = mkdir(parent, name);
        for (int i = 0; i < count; i++) {
            make(ino, file(i));
        }
        return ino;
    }

    /** All names, which the mount knows with their attributes then, as it does for rm. */
    private List<Name> list(long ino) {
        List<Name> names = new ArrayList<>();
        DirectoryPage page;
        long cookie = 0;
        do {
            page = a.readDirectory(CALLER, ino, cookie, 500, true);
            for (DirectoryEntry entry : page.entries()) {
                names.add(entry.name());
                cookie = entry.cookie();
            }
        } while (!page.end());
        return names;
    }

    private void unlink(long parent, Name name) throws Exception {
        done(changes().unlink(CALLER, parent, name));
    }

    /** Takes all names of a directory away; of the last ones the masters do not know yet. */
    private void empty(long ino) throws Exception {
        for (Name name : list(ino)) {
            unlink(ino, name);
        }
    }

    private boolean isAloneIn(long ino) {
        return a.mount().master().young().isAloneIn(ino);
    }

    private boolean isUntold() {
        return !a.mount().master().young().isAllTold();
    }

    /** A directory with one file left, of which the masters do not know that it is gone. */
    private long almostEmpty(Name name) throws Exception {
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        Name each = name;
        while (System.nanoTime() - endNs < 0) {
            long ino = filled(FileSystem.ROOT_INO, each, 3);
            list(ino);
            unlink(ino, file(0));
            unlink(ino, file(1));
            if (isUntold()) {
                return ino;
            }
            // The machine has paused.
            b.unlink(Caller.ROOT, ino, file(2));
            b.rmdir(Caller.ROOT, FileSystem.ROOT_INO, each);
        }
        throw new AssertionError("each removal is told at once");
    }

    private long entries() {
        return cluster.embedded().service().namespace().appliedIndex();
    }

    private static void failsWith(Errno errno, Runnable call) {
        assertEquals(errno, assertThrows(FsException.class, call::run).errno());
    }

    @Test
    void manyRemovalsShareAnEntryOfTheLog() throws Exception {
        Name name = nextDirectory();
        long ino = filled(FileSystem.ROOT_INO, name, FILES);
        List<Name> all = list(ino);
        assertEquals(FILES, all.size());
        long before = entries();
        for (Name each : all) {
            unlink(ino, each);
        }
        done(changes().rmdir(CALLER, FileSystem.ROOT_INO, name));
        failsWith(Errno.ENOENT, () -> b.lookup(Caller.ROOT, FileSystem.ROOT_INO, name));
        long entries = entries() - before;
        assertTrue(entries < FILES / 4, () -> entries + " entries for " + FILES + " files");
    }

    @Test
    void aTreeGoesFromItsLeaves() throws Exception {
        Name top = nextDirectory();
        long root = mkdir(FileSystem.ROOT_INO, top);
        int wide = 20;
        for (int i = 0; i < wide; i++) {
            filled(root, Name.of("s" + i), 20);
        }
        long before = entries();
        for (Name each : list(root)) {
            empty(a.lookup(CALLER, root, each).ino());
            done(changes().rmdir(CALLER, root, each));
        }
        done(changes().rmdir(CALLER, FileSystem.ROOT_INO, top));
        failsWith(Errno.ENOENT, () -> b.lookup(Caller.ROOT, FileSystem.ROOT_INO, top));
        long entries = entries() - before;
        assertTrue(entries < wide * 20 / 2, () -> entries + " entries for " + wide * 20);
    }

    @Test
    void othersDoNotSeeTheNameAnyMore() throws Exception {
        long ino = almostEmpty(nextDirectory());
        failsWith(Errno.ENOENT, () -> b.lookup(Caller.ROOT, ino, file(1)));
        assertFalse(isUntold());
    }

    @Test
    void othersDoNotListTheNameAnyMore() throws Exception {
        long ino = almostEmpty(nextDirectory());
        List<DirectoryEntry> left = b.readDirectory(Caller.ROOT, ino, 0, 100, false).entries();
        assertEquals(List.of(file(2)), left.stream().map(DirectoryEntry::name).toList());
    }

    @Test
    void theSameMountDoesNotSeeTheNameAnyMore() throws Exception {
        Name name = nextDirectory();
        long ino = filled(FileSystem.ROOT_INO, name, 3);
        list(ino);
        unlink(ino, file(0));
        Attributes before = a.getAttributes(CALLER, ino);
        unlink(ino, file(1));
        failsWith(Errno.ENOENT, () -> a.lookup(CALLER, ino, file(1)));
        unlink(ino, file(2));
        assertEquals(List.of(), list(ino));
        assertTrue(a.getAttributes(CALLER, ino).mtimeNs() > before.mtimeNs());
    }

    @Test
    void theTimesOfTheDirectoryChangeAtOnce() throws Exception {
        long ino = almostEmpty(nextDirectory());
        Attributes before = a.getAttributes(CALLER, ino);
        unlink(ino, file(2));
        assertTrue(a.getAttributes(CALLER, ino).mtimeNs() > before.mtimeNs());
        assertEquals(2, a.getAttributes(CALLER, ino).nlink());
    }

    @Test
    void theNameIsFreeForAnother() throws Exception {
        long ino = almostEmpty(nextDirectory());
        make(ino, file(1));
        assertEquals(1, b.lookup(Caller.ROOT, ino, file(1)).size());
        unlink(ino, file(1));
        b.mkdir(Caller.ROOT, ino, file(1), 0755);
        assertTrue(a.lookup(CALLER, ino, file(1)).isDirectory());
    }

    @Test
    void whatIsNotThereOrNotEmptyIsToldAtOnce() throws Exception {
        Name name = nextDirectory();
        long ino = almostEmpty(name);
        failsWith(Errno.ENOENT, () -> a.unlink(CALLER, ino, file(1)));
        failsWith(Errno.ENOTEMPTY, () -> a.rmdir(CALLER, FileSystem.ROOT_INO, name));
        mkdir(ino, Name.of("sub"));
        failsWith(Errno.EISDIR, () -> a.unlink(CALLER, ino, Name.of("sub")));
        failsWith(Errno.ENOTDIR, () -> a.rmdir(CALLER, ino, file(2)));
    }

    @Test
    void nothingIsMadeInADirectoryThatIsGone() throws Exception {
        long top = mkdir(FileSystem.ROOT_INO, nextDirectory());
        Name name = Name.of("s");
        long ino = filled(top, name, 3);
        filled(top, Name.of("other"), 3);
        for (Name each : list(top)) {
            empty(a.lookup(CALLER, top, each).ino());
        }
        done(changes().rmdir(CALLER, top, Name.of("other")));
        done(changes().rmdir(CALLER, top, name));
        FsException e = assertThrows(FsException.class, () -> a.mkdir(CALLER, ino, name, 0755));
        assertTrue(e.errno() == Errno.ENOENT || e.errno() == Errno.ESTALE, () -> "" + e.errno());
        assertEquals(List.of(), list(top));
        // The number that was meant for it serves for another one, which is as good as any.
        assertTrue(isAloneIn(mkdir(FileSystem.ROOT_INO, nextDirectory())));
    }

    @Test
    void aDirectoryBesideRemovedNamesIsReadyForFilesAtOnce() throws Exception {
        long ino = almostEmpty(nextDirectory());
        assertTrue(isAloneIn(mkdir(ino, Name.of("s"))));
    }

    @Test
    void openFilesAndFilesWithTwoNamesLoseTheirNameAtTheMasters() throws Exception {
        long ino = filled(FileSystem.ROOT_INO, nextDirectory(), 4);
        Attributes linked = a.lookup(CALLER, ino, file(1));
        a.link(CALLER, linked.ino(), FileSystem.ROOT_INO, Name.of("second" + ino));
        list(ino);
        unlink(ino, file(0));
        unlink(ino, file(1));
        assertEquals(1, a.getAttributes(CALLER, linked.ino()).nlink());
        long opened = a.lookup(CALLER, ino, file(2)).ino();
        try (OpenFile file = a.open(CALLER, opened, FileSystem.O_RDONLY)) {
            unlink(ino, file(2));
            assertEquals(0, file.attributes().nlink());
            assertEquals(1, file.read(0, ByteBuffer.allocate(10)));
        }
    }

    @Test
    void anFsyncOfTheDirectoryWaitsForAll() throws Exception {
        long ino = almostEmpty(nextDirectory());
        a.syncDirectory(ino);
        assertFalse(isUntold());
    }

    /** Somebody has made it immutable, of which this mount need not have heard. */
    @Test
    void anFsyncOfTheDirectoryTellsWhatTheMastersRefused() throws Exception {
        long ino = filled(FileSystem.ROOT_INO, nextDirectory(), 3);
        list(ino);
        long kept = a.lookup(CALLER, ino, file(1)).ino();
        unlink(ino, file(0));
        AttributeChange immutable =
                AttributeChange.NONE.withFlags(Attributes.IMMUTABLE, Attributes.IMMUTABLE);
        b.setAttributes(Caller.ROOT, kept, immutable);
        failsWith(
                Errno.EPERM,
                () -> {
                    a.unlink(CALLER, ino, file(1));
                    a.syncDirectory(ino);
                });
        a.syncDirectory(ino);
        assertEquals(kept, a.lookup(CALLER, ino, file(1)).ino());
        assertEquals(kept, b.lookup(Caller.ROOT, ino, file(1)).ino());
    }

    @Test
    void anEndOfTheMountTellsAll() throws Exception {
        CairnFileSystem other = cluster.client("c");
        other.mount().master().young().turnOn();
        other.answerEarly();
        CairnFileSystem usual = a;
        a = other;
        long ino;
        try {
            ino = almostEmpty(nextDirectory());
            other.close();
        } finally {
            a = usual;
        }
        failsWith(Errno.ENOENT, () -> b.lookup(Caller.ROOT, ino, file(1)));
    }
}
