package io.cairn.client.file;

import static io.cairn.client.CairnFileSystemTest.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.CairnFileSystem;
import io.cairn.client.ClientFile;
import io.cairn.client.FakeCluster;
import io.cairn.client.Waiter;
import io.cairn.client.chunk.ChunkPlace;
import io.cairn.client.session.Await;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.fs.AsyncChanges;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.quota.Growth;
import io.cairn.wire.chunk.ChunkRequest.ChunkKey;
import io.cairn.wire.master.Query;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What follows from what an open file is told. */
class OpenInodeTest {
    private static final Caller KERNEL = Caller.checkedByKernel(0, 0);

    private final FakeCluster cluster = new FakeCluster(16);
    private final CairnFileSystem fs =
            cluster.connect(cluster.settings().withWriteBackDelayMs(600_000));
    private final Mount mount = fs.mount();
    private ClientFile file;
    private OpenInode inode;

    @BeforeEach
    void open() {
        FileSystem.Created made = fs.create(Caller.ROOT, 1, Name.of("f"), 0644, FileSystem.O_RDWR);
        file = (ClientFile) made.file();
        inode = file.state();
    }

    @AfterEach
    void close() {
        file.close();
        cluster.close();
    }

    private void write(int length) {
        file.write(0, ByteBuffer.wrap(bytes(length, 1)));
    }

    @Test
    void itIsListedWhileItHasSomethingToCommit() {
        assertEquals(List.of(), mount.dirty().all());
        write(10);
        assertEquals(List.of(inode), mount.dirty().all());
        inode.commitAndWait();
        assertEquals(List.of(), mount.dirty().all());
        write(100_000);
        assertEquals(List.of(inode), mount.dirty().all());
        inode.giveUpIfDirty(new FsException(Errno.EIO));
        assertEquals(List.of(), mount.dirty().all());
        assertEquals(1, inode.errorCount());
        assertEquals(10, inode.size());
        cluster.awaitTrue(() -> mount.pool().usedBytes() == 0, "the room is free");
        assertThrows(FsException.class, file::flush);
    }

    private boolean isDurable(long oid) {
        ChunkKey chunk = new ChunkKey(oid, 0);
        return cluster.network.ask(
                () -> cluster.servers.stream().anyMatch(each -> each.flushed.contains(chunk)));
    }

    /** Nobody may serve it any more. */
    @Test
    void whatWasCutOffIsNotMadeDurable() {
        write(100_000);
        file.flush();
        long former = inode.layout().lastOid();
        fs.setAttributes(Caller.ROOT, inode.ino(), AttributeChange.NONE.withSize(0));
        write(10);
        file.flush();
        write(100_000);
        file.flush();
        assertTrue(isDurable(inode.layout().lastOid()), "it replaces what the master had");
        assertFalse(isDurable(former));
    }

    /** As when a batch of many extents is refused: each asks. */
    @Test
    void allThatAFullDiskRefusedWaitForOneSearchForRoom() {
        write(100_000);
        file.flush();
        Layout layout = inode.layout();
        ChunkPlace place = new ChunkPlace(layout, layout.runOf(0).oid(), 0);
        FsException full = new FsException(Errno.ENOSPC);
        CompletableFuture<?> search = inode.look(place, full);
        assertFalse(search.isDone(), "the map may tell of a full disk soon");
        assertSame(search, inode.look(place, full));
        assertNotSame(search, inode.look(new ChunkPlace(layout, place.oid(), 1), full));
        cluster.awaitTrue(search::isDone, "the map tells of none");
        assertNotSame(search, inode.look(place, full), "others come later");
    }

    @Test
    void theCacheHasWhatACommitMade() {
        write(10);
        inode.commitAndWait();
        assertEquals(10, mount.cache().attributes(inode.ino()).size());
        assertEquals(
                inode.inode().attributes().version(),
                mount.cache().attributes(inode.ino()).version());
    }

    @Test
    void anOlderAnswerChangesNothing() {
        Inode old = inode.inode();
        write(10);
        inode.commitAndWait();
        Inode known = inode.inode();
        inode.adopt(old);
        assertSame(known, inode.inode());
        assertEquals(10, inode.size());
    }

    @Test
    void aVersionThatWasToldUnderALockMakesItFresh() {
        write(10);
        inode.commitAndWait();
        inode.expire();
        long version = inode.inode().attributes().version();
        assertFalse(inode.isConfirmed(version + 1));
        assertFalse(inode.isConfirmed(0));
        assertFalse(inode.isFresh());
        assertTrue(inode.isConfirmed(version));
        assertTrue(inode.isFresh());
    }

    @Test
    void theEndOfTheSessionGivesUpWhatWasWrittenUnderLocksOnly() {
        FsException error = new FsException(Errno.EIO, "the locks are lost");
        write(10);
        inode.sessionLost(false, error);
        assertTrue(inode.isDirty());
        assertTrue(inode.doubts().isOpen());
        inode.sessionLost(true, error);
        assertFalse(inode.isDirty());
        assertSame(error, assertThrows(FsException.class, file::flush));
    }

    @Test
    void writersWaitWhileTheGateIsClosedAndReadersDoNot() throws Exception {
        write(10);
        inode.closeGate();
        Waiter writer =
                new Waiter(
                        () -> {
                            write(20);
                            return true;
                        });
        writer.awaitWaiting();
        assertEquals(10, file.read(0, ByteBuffer.allocate(100)));
        assertFalse(writer.isThrough());
        inode.openGate();
        assertTrue(writer.result());
        assertEquals(20, inode.size());
    }

    private Attributes set(AttributeChange change) {
        AsyncChanges changes = Objects.requireNonNull(fs.async(KERNEL));
        try {
            return Objects.requireNonNull(changes.setAttributes(KERNEL, inode.ino(), change))
                    .join();
        } catch (CompletionException e) {
            throw Await.failure(e);
        }
    }

    private static void isFull(Executable call) {
        assertEquals(Errno.ENOSPC, assertThrows(FsException.class, call).errno());
    }

    @Test
    void aModeIsSetThoughWhatWasWrittenIsRefused() {
        cluster.shared.isFull = true;
        write(1000);
        assertEquals(0600, set(AttributeChange.NONE.withMode(0600)).mode());
        Attributes stored = cluster.namespace.require(inode.ino()).attributes();
        assertEquals(0600, stored.mode());
        assertEquals(0, stored.size());
        isFull(file::flush);
    }

    @Test
    void timesAreNotSetBeforeWhatWasWritten() {
        cluster.shared.isFull = true;
        write(1000);
        isFull(() -> set(AttributeChange.NONE.withMtime(1)));
        isFull(file::flush);
    }

    private void setQuotas() {
        cluster.shared.quotas = 1;
        mount.master().session().quotasChanged(1);
    }

    private void asked(Growth held, Growth wanted) {
        assertEquals(
                new Query.GetAllowance(inode.ino(), held, wanted, 0),
                cluster.shared.asked.getLast());
    }

    /** The hole counts for the length at once, and for nothing again when it is written. */
    @Test
    void aWriteBehindTheEndAsksForTheHoleBeforeIt() {
        setQuotas();
        int far = 1 << 20;
        file.write(far, ByteBuffer.wrap(bytes(10, 1)));
        asked(Growth.NONE, new Growth(far + 10, 10));
        write(20);
        asked(new Growth(far + 10, 10), new Growth(0, 20));
        file.write(far + 10, ByteBuffer.wrap(bytes(5, 1)));
        asked(new Growth(far + 10, 30), new Growth(5, 5));
        inode.commitAndWait();
        file.write(far + 100, ByteBuffer.wrap(bytes(1, 1)));
        asked(Growth.NONE, new Growth(86, 1));
        int count = cluster.shared.asked.size();
        file.write(2L * far, ByteBuffer.allocate(0));
        assertEquals(count, cluster.shared.asked.size(), "nothing is written");
    }

    @Test
    void aHoleIsAskedForWithoutBytes() {
        setQuotas();
        file.allocate(0, 1000, 100);
        assertEquals(
                new Query.GetAllowance(inode.ino(), Growth.NONE, new Growth(1100, 0), 100),
                cluster.shared.asked.getLast());
    }

    /** The master would refuse both together, and then the write is told once more. */
    @Test
    void anOwnerUnderQuotasIsSetByItself() {
        write(10);
        assertEquals(7, set(AttributeChange.NONE.withUid(7)).uid());
        assertFalse(inode.isDirty());
        setQuotas();
        write(20);
        assertEquals(8, set(AttributeChange.NONE.withUid(8)).uid());
        assertTrue(inode.isDirty());
        assertEquals(0600, set(AttributeChange.NONE.withMode(0600)).mode());
        assertFalse(inode.isDirty());
    }

    @Test
    void aSmallFileIsCommittedInOneCallAndALargeOneIsNot() {
        assertTrue(inode.commitsInOneCall());
        write(10);
        assertTrue(inode.commitsInOneCall());
        write(100_000);
        assertFalse(inode.commitsInOneCall());
        inode.commitAndWait();
        assertTrue(inode.commitsInOneCall());
    }
}
