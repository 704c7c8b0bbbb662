package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.CairnFileSystem;
import io.cairn.cluster.PastInode;
import io.cairn.fs.AsyncChanges;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileSystem.Created;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.fs.quota.Account;
import io.cairn.fs.quota.Quota;
import io.cairn.fs.quota.Sums;
import io.cairn.metadata.snapshot.SnapshotRecord;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Reply;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A mount that alone makes names in a directory, and another one that asks about them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class DelegatedNamesTest {
    private static final Caller CALLER = Caller.checkedByKernel(0, 0);
    private static final byte[] TEXT = "text".getBytes(StandardCharsets.UTF_8);
    private static final int TURNS = 50;
    private static final Name YOUNG = Name.of("young");

    @TempDir(factory = MemoryDirectory.class)
    private static Path directory;

    private TestCluster cluster;
    private CairnFileSystem a;
    private CairnFileSystem b;
    private int directories;
    private final List<Long> limits = new ArrayList<>();

    @BeforeAll
    void start() throws Exception {
        cluster = new TestCluster(directory, 2, 1);
        a = cluster.client("a");
        a.mount().master().young().turnOn();
        b = cluster.client("b");
    }

    @AfterAll
    void stop() throws Exception {
        cluster.close();
    }

    private AsyncChanges changes() {
        return Objects.requireNonNull(a.async(CALLER));
    }

    private static <T> T done(CompletableFuture<T> change) throws Exception {
        return change.get(30, TimeUnit.SECONDS);
    }

    private Created make(long parent, Name name) throws Exception {
        return done(
                Objects.requireNonNull(
                        changes()
                                .create(
                                        CALLER,
                                        parent,
                                        name,
                                        0644,
                                        FileSystem.O_RDWR | FileSystem.O_EXCL)));
    }

    private int young() {
        return a.mount().master().young().size();
    }

    /** A directory in which the first mount makes names without asking. */
    private long delegated() throws Exception {
        return delegated(FileSystem.ROOT_INO);
    }

    private long delegated(long above) throws Exception {
        Name name = Name.of("d" + directories++);
        long ino = done(changes().mkdir(CALLER, above, name, 0755)).ino();
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        for (int i = 0; System.nanoTime() - endNs < 0; i++) {
            try (OpenFile file = make(ino, Name.of("warm" + i)).file()) {
                assertEquals(0, file.attributes().size());
                if (young() == 1) {
                    return ino;
                }
            }
        }
        throw new AssertionError("the right was never given");
    }

    /** A file of which the masters do not know yet; after a pause of the machine another one. */
    private OpenFile written(long parent) throws Exception {
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (System.nanoTime() - endNs < 0) {
            OpenFile file = make(parent, YOUNG).file();
            file.write(0, ByteBuffer.wrap(TEXT));
            if (young() == 1) {
                return file;
            }
            file.close();
            a.unlink(CALLER, parent, YOUNG);
        }
        throw new AssertionError("each file is told at once");
    }

    /** Whoever only wants to read it, as a file that marks something, has made it nevertheless. */
    @Test
    void aFileThatIsMadeToBeReadIsThereWhenItIsClosed() throws Exception {
        long parent = delegated();
        int flags = FileSystem.O_RDONLY | FileSystem.O_EXCL;
        Created made =
                done(Objects.requireNonNull(changes().create(CALLER, parent, YOUNG, 0644, flags)));
        made.file().close();
        assertEquals(made.attributes().ino(), b.lookup(Caller.ROOT, parent, YOUNG).ino());
        assertEquals(0, young());
    }

    private byte[] readByOther(long ino) {
        try (OpenFile file = b.open(Caller.ROOT, ino, FileSystem.O_RDONLY)) {
            ByteBuffer bytes = ByteBuffer.allocate(1 << 16);
            file.read(0, bytes);
            byte[] read = new byte[bytes.position()];
            bytes.get(0, read);
            return read;
        }
    }

    private static void failsWith(Errno errno, Runnable call) {
        assertEquals(errno, assertThrows(FsException.class, call::run).errno());
    }

    @Test
    void aCloseTellsAllInOneStep() throws Exception {
        long parent = delegated();
        try (OpenFile file = written(parent)) {
            assertEquals(4, file.attributes().size());
        }
        assertEquals(0, young());
        Attributes seen = b.lookup(Caller.ROOT, parent, YOUNG);
        assertEquals(4, seen.size());
        assertEquals(0644, seen.mode());
        assertArrayEquals(TEXT, readByOther(seen.ino()));
    }

    @Test
    void attributesGoAlong() throws Exception {
        long parent = delegated();
        try (OpenFile file = written(parent)) {
            AttributeChange change = AttributeChange.NONE.withMtime(77).withMode(0600);
            Attributes set =
                    done(
                            Objects.requireNonNull(
                                    changes().setAttributes(CALLER, file.ino(), change)));
            assertEquals(List.of(77L, 4L), List.of(set.mtimeNs(), set.size()));
            assertEquals(0600, set.mode());
            assertEquals(77, a.getAttributes(CALLER, file.ino()).mtimeNs());
        }
        assertEquals(0, young());
        Attributes seen = b.lookup(Caller.ROOT, parent, YOUNG);
        assertEquals(List.of(77L, 4L), List.of(seen.mtimeNs(), seen.size()));
        assertEquals(0600, seen.mode());
    }

    @Test
    void whoAsksAboutTheNameFindsIt() throws Exception {
        long parent = delegated();
        try (OpenFile file = written(parent)) {
            Attributes seen = b.lookup(Caller.ROOT, parent, YOUNG);
            assertEquals(file.ino(), seen.ino());
            assertEquals(0, young());
        }
    }

    @Test
    void theTimesOfTheDirectoryChangeAtOnce() throws Exception {
        long parent = delegated();
        Attributes before = a.getAttributes(CALLER, parent);
        long seenNs;
        try (OpenFile file = written(parent)) {
            assertEquals(4, file.attributes().size());
            seenNs = a.getAttributes(CALLER, parent).mtimeNs();
            assertTrue(seenNs > before.mtimeNs());
        }
        assertTrue(a.getAttributes(CALLER, parent).mtimeNs() >= seenNs);
    }

    @Test
    void whoListsTheDirectoryFindsIt() throws Exception {
        long parent = delegated();
        try (OpenFile file = written(parent)) {
            List<DirectoryEntry> all =
                    b.readDirectory(Caller.ROOT, parent, 0, 1000, true).entries();
            assertTrue(all.stream().anyMatch(entry -> entry.ino() == file.ino()));
        }
    }

    @Test
    void nobodyElseMakesTheSameName() throws Exception {
        long parent = delegated();
        try (OpenFile file = written(parent)) {
            failsWith(
                    Errno.EEXIST,
                    () -> b.create(Caller.ROOT, parent, YOUNG, 0644, FileSystem.O_EXCL));
            assertTrue(file.ino() > 0);
        }
    }

    @Test
    void theDirectoryIsNotEmpty() throws Exception {
        long parent = delegated();
        Name name = Name.of("d" + (directories - 1));
        try (OpenFile file = written(parent)) {
            failsWith(Errno.ENOTEMPTY, () -> b.rmdir(Caller.ROOT, FileSystem.ROOT_INO, name));
            assertTrue(file.ino() > 0);
        }
    }

    @Test
    void othersRenameAndRemoveIt() throws Exception {
        long parent = delegated();
        try (OpenFile file = written(parent)) {
            b.rename(Caller.ROOT, parent, YOUNG, parent, Name.of("old"), 0);
            assertEquals(file.ino(), b.lookup(Caller.ROOT, parent, Name.of("old")).ino());
            b.unlink(Caller.ROOT, parent, Name.of("old"));
            assertEquals(0, file.attributes().nlink() & file.attributes().nlink() - 1);
        }
    }

    @Test
    void theSameMountKnowsIt() throws Exception {
        long parent = delegated();
        try (OpenFile file = written(parent)) {
            assertEquals(4, a.getAttributes(CALLER, file.ino()).size());
            assertEquals(file.ino(), a.lookup(CALLER, parent, YOUNG).ino());
            a.rename(CALLER, parent, YOUNG, parent, Name.of("other"), 0);
            failsWith(Errno.ENOENT, () -> a.lookup(CALLER, parent, YOUNG));
        }
        assertEquals(4, b.lookup(Caller.ROOT, parent, Name.of("other")).size());
    }

    @Test
    void aFileThatGrowsGoesToChunks() throws Exception {
        long parent = delegated();
        byte[] large = new byte[40_000];
        Arrays.fill(large, (byte) 'x');
        long ino;
        try (OpenFile file = written(parent)) {
            ino = file.ino();
            file.write(0, ByteBuffer.wrap(large));
        }
        assertArrayEquals(large, readByOther(ino));
    }

    @Test
    void twoMountsInTurnCostAsMuchAsWithoutTheRight() throws Exception {
        long parent = delegated();
        b.mount().master().young().turnOn();
        AsyncChanges others = Objects.requireNonNull(b.async(CALLER));
        long before = entries();
        long sinceNs = System.nanoTime();
        int flags = FileSystem.O_RDWR | FileSystem.O_EXCL;
        for (int i = 0; i < 2 * TURNS; i++) {
            AsyncChanges each = i % 2 == 0 ? changes() : others;
            var made = each.create(CALLER, parent, Name.of("turn" + i), 0644, flags);
            try (OpenFile file = done(Objects.requireNonNull(made)).file()) {
                file.write(0, ByteBuffer.wrap(TEXT));
            }
        }
        long entries = entries() - before;
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - sinceNs);
        // Each of both asks for the right now and then, and gives its numbers back.
        long asking = 20 + 10 * seconds;
        assertTrue(entries < 2 * 2 * TURNS + asking, () -> entries + " entries");
    }

    private long entries() {
        return cluster.embedded().service().namespace().appliedIndex();
    }

    @Test
    void whatIsNotClosedIsToldSoon() throws Exception {
        long parent = delegated();
        try (OpenFile file = written(parent)) {
            Poll.until("it is told", 30, () -> young() == 0);
            assertEquals(file.ino(), b.lookup(Caller.ROOT, parent, YOUNG).ino());
        }
    }

    private void limit(long directory) throws Exception {
        Quota quota = new Quota(Sums.ZERO, new Sums(1000, 0, 0), 0);
        var limit = new LeaderMutation.SetQuota(Account.directory(directory), quota, false);
        assertEquals(new Reply.Done(), done(cluster.embedded().service().submit(limit)));
        limits.add(directory);
    }

    @AfterEach
    void unlimit() throws Exception {
        for (long directory : limits) {
            var none = new LeaderMutation.SetQuota(Account.directory(directory), Quota.NONE, false);
            assertEquals(new Reply.Done(), done(cluster.embedded().service().submit(none)));
        }
        limits.clear();
    }

    @Test
    void aQuotaOfAnotherDirectoryIsNotInTheWay() throws Exception {
        long limited = b.mkdir(Caller.ROOT, FileSystem.ROOT_INO, Name.of("limited"), 0755).ino();
        limit(limited);
        try (OpenFile file = written(delegated())) {
            assertEquals(4, file.attributes().size());
        }
    }

    @Test
    void belowAQuotaAFileCostsNoMoreThanItsOwnEntries() throws Exception {
        long limited = b.mkdir(Caller.ROOT, FileSystem.ROOT_INO, Name.of("below"), 0755).ino();
        limit(limited);
        long before = entries();
        for (int i = 0; i < TURNS; i++) {
            Name name = Name.of("d" + i);
            long parent = done(changes().mkdir(CALLER, limited, name, 0755)).ino();
            make(parent, YOUNG).file().close();
            assertEquals(0, young());
        }
        long entries = entries() - before;
        assertTrue(entries <= 2 * TURNS + 20, () -> entries + " entries");
    }

    @Test
    void aQuotaThatIsSetJustThenCountsWhatIsYoung() throws Exception {
        long parent = delegated();
        try (OpenFile file = written(parent)) {
            limit(parent);
            assertEquals(0, young(), "it was told before");
            assertEquals(file.ino(), b.lookup(Caller.ROOT, parent, YOUNG).ino());
        }
    }

    @Test
    void aDirectoryThatComesUnderAQuotaHasNoYoungFiles() throws Exception {
        long limited = b.mkdir(Caller.ROOT, FileSystem.ROOT_INO, Name.of("over"), 0755).ino();
        limit(limited);
        long top = delegated();
        Name name = Name.of("d" + (directories - 1));
        long parent = delegated(top);
        try (OpenFile file = written(parent)) {
            a.rename(CALLER, FileSystem.ROOT_INO, name, limited, name, 0);
            assertEquals(0, young(), "it was told before");
            assertEquals(file.ino(), b.lookup(Caller.ROOT, parent, YOUNG).ino());
        }
        make(parent, Name.of("next")).file().close();
        assertEquals(0, young());
    }

    @Test
    void aDirectoryWithYoungFilesIsRenamed() throws Exception {
        long parent = delegated();
        Name name = Name.of("d" + (directories - 1));
        try (OpenFile file = written(parent)) {
            b.rename(Caller.ROOT, FileSystem.ROOT_INO, name, FileSystem.ROOT_INO, Name.of("m"), 0);
            assertEquals(parent, a.lookup(CALLER, FileSystem.ROOT_INO, Name.of("m")).ino());
            assertEquals(file.ino(), b.lookup(Caller.ROOT, parent, YOUNG).ino());
        }
        b.rename(Caller.ROOT, FileSystem.ROOT_INO, Name.of("m"), FileSystem.ROOT_INO, name, 0);
    }

    @Test
    void aYoungFileGetsAnotherName() throws Exception {
        long parent = delegated();
        try (OpenFile file = written(parent)) {
            Attributes linked = a.link(CALLER, file.ino(), FileSystem.ROOT_INO, Name.of("link"));
            assertEquals(2, linked.nlink());
            assertEquals(4, linked.size());
        }
        assertEquals(2, b.lookup(Caller.ROOT, FileSystem.ROOT_INO, Name.of("link")).nlink());
        assertEquals(4, b.lookup(Caller.ROOT, parent, YOUNG).size());
        b.unlink(Caller.ROOT, FileSystem.ROOT_INO, Name.of("link"));
    }

    @Test
    void aYoungFileThatIsRemovedIsReadAsLongAsItIsOpen() throws Exception {
        long parent = delegated();
        try (OpenFile file = written(parent)) {
            a.unlink(CALLER, parent, YOUNG);
            failsWith(Errno.ENOENT, () -> b.lookup(Caller.ROOT, parent, YOUNG));
            ByteBuffer read = ByteBuffer.allocate(10);
            file.read(0, read);
            assertEquals(TEXT.length, read.position());
            assertEquals(0, file.attributes().nlink());
            file.write(4, ByteBuffer.wrap(TEXT));
            file.sync(false);
            assertEquals(8, file.attributes().size());
        }
        assertEquals(0, young());
        try (OpenFile again = make(parent, YOUNG).file()) {
            assertEquals(0, again.attributes().size());
        }
    }

    @Test
    void attributesListsAndOwnersOfAYoungFileAreKept() throws Exception {
        long parent = delegated();
        byte[] key = "user.key".getBytes(StandardCharsets.UTF_8);
        try (OpenFile file = written(parent)) {
            a.setXattr(CALLER, file.ino(), key, TEXT, 0);
            a.setAttributes(CALLER, file.ino(), AttributeChange.NONE.withUid(7).withGid(8));
            a.setAttributes(CALLER, file.ino(), AttributeChange.NONE.withMode(0611));
        }
        Attributes seen = b.lookup(Caller.ROOT, parent, YOUNG);
        assertEquals(List.of(7, 8, 0611), List.of(seen.uid(), seen.gid(), seen.mode()));
        assertEquals(4, seen.size());
        assertArrayEquals(TEXT, b.getXattr(Caller.ROOT, seen.ino(), key));
    }

    @Test
    void aSyncOfTheDirectoryTellsItsYoungFiles() throws Exception {
        long parent = delegated();
        try (OpenFile file = written(parent)) {
            a.syncDirectory(parent);
            assertEquals(0, young());
            assertEquals(file.ino(), b.lookup(Caller.ROOT, parent, YOUNG).ino());
        }
    }

    @Test
    void aFileWithoutANameIsLinkedBesideAYoungOne() throws Exception {
        long parent = delegated();
        try (OpenFile file = written(parent);
                OpenFile other = a.createUnnamed(CALLER, parent, 0644, FileSystem.O_RDWR).file()) {
            other.write(0, ByteBuffer.wrap(TEXT));
            failsWith(Errno.EEXIST, () -> a.link(CALLER, other.ino(), parent, YOUNG));
            a.link(CALLER, other.ino(), parent, Name.of("linked"));
            assertEquals(4, file.attributes().size());
        }
        assertEquals(4, b.lookup(Caller.ROOT, parent, Name.of("linked")).size());
    }

    @Test
    void aSnapshotHasWhatIsYoung() throws Exception {
        long parent = delegated();
        try (OpenFile file = written(parent)) {
            SnapshotRecord taken =
                    done(cluster.embedded().service().snapshots().take(parent, Name.of("s")));
            assertEquals(0, young());
            long past = PastInode.of(taken.number(), parent);
            assertEquals(4, b.lookup(Caller.ROOT, past, YOUNG).size());
            assertTrue(file.ino() > 0);
            done(cluster.embedded().service().snapshots().drop(taken));
        }
    }
}
