package io.cairn.client;

import static io.cairn.client.CairnFileSystemTest.bytes;
import static io.cairn.client.CairnFileSystemTest.readAll;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.session.Await;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Lock;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.wire.Decoder;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.TreeMutation;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What was written under locks does not outlast the session that held them. */
class LostSessionTest {
    private static final int APPEND = FileSystem.O_RDWR | FileSystem.O_APPEND;

    private final FakeCluster cluster = new FakeCluster(16);
    private final CairnFileSystem first = slowClient();
    private final CairnFileSystem second = slowClient();

    @AfterEach
    void close() {
        cluster.close();
    }

    /** Commits only when asked to. */
    private CairnFileSystem slowClient() {
        return cluster.connect(
                cluster.settings().withRequestTimeoutMs(5000).withWriteBackDelayMs(600_000));
    }

    private static OpenFile create(CairnFileSystem fs, int flags) {
        return fs.create(Caller.ROOT, 1, Name.of("f"), 0644, flags).file();
    }

    private static void write(OpenFile file, long offset, byte[] bytes) {
        file.write(offset, ByteBuffer.wrap(bytes));
    }

    private static Lock lock(Lock.Kind kind, Lock.Mode mode) {
        return new Lock(kind, mode, 5, 0, Lock.TO_END, 1);
    }

    /** All sessions end at the master, which doubts what they left. */
    private void endSessions() {
        cluster.network.ask(
                () -> {
                    cluster.shared.loseSessions();
                    return true;
                });
    }

    private static void mkdir(CairnFileSystem fs, String name) {
        fs.mkdir(Caller.ROOT, 1, Name.of(name), 0755);
    }

    /** It hears that its session has ended. */
    private static void notice(CairnFileSystem fs, String name) {
        try {
            mkdir(fs, name);
        } catch (FsException e) {
            // On a slow machine it was on its way when the client connected again.
            assertEquals(Errno.EIO, e.errno());
        }
    }

    private static void assertLost(Runnable call) {
        assertEquals(Errno.EIO, assertThrows(FsException.class, call::run).errno());
    }

    private void assertContents(byte[] wanted, long ino) {
        assertArrayEquals(wanted, readAll(cluster.connect(), ino));
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 3000, 100_000})
    void recordsUnderALostTokenDoNotLandOverOthers(int length) {
        OpenFile lost = create(first, APPEND);
        write(lost, 0, bytes(length, 1));
        lost.flush();
        write(lost, 0, bytes(length, 2));
        endSessions();
        byte[] model = Arrays.copyOf(bytes(length, 1), 2 * length);
        System.arraycopy(bytes(length, 3), 0, model, length, length);
        try (OpenFile file = second.open(Caller.ROOT, lost.ino(), APPEND)) {
            write(file, 0, bytes(length, 3));
        }
        assertLost(lost::flush);
        assertContents(model, lost.ino());
        write(lost, 0, bytes(10, 4));
        lost.flush();
        model = Arrays.copyOf(model, model.length + 10);
        System.arraycopy(bytes(10, 4), 0, model, model.length - 10, 10);
        assertContents(model, lost.ino());
        lost.close();
    }

    @Test
    void recordsThatAreStoredButNotCommittedAreGivenUp() {
        OpenFile lost = create(first, APPEND);
        write(lost, 0, bytes(100_000, 1));
        Await.get(((ClientFile) lost).state().drain(), 10_000);
        endSessions();
        try (OpenFile file = second.open(Caller.ROOT, lost.ino(), APPEND)) {
            write(file, 0, bytes(50_000, 2));
        }
        assertLost(lost::flush);
        assertContents(bytes(50_000, 2), lost.ino());
        lost.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 100_000})
    void bytesUnderLostLocksDoNotLandOverOthers(int length) {
        for (Lock.Kind kind : new Lock.Kind[] {Lock.Kind.POSIX, Lock.Kind.FLOCK}) {
            OpenFile lost =
                    first.create(Caller.ROOT, 1, Name.of(kind.name()), 0644, FileSystem.O_RDWR)
                            .file();
            first.setLock(lost.ino(), lock(kind, Lock.Mode.EXCLUSIVE), 0);
            write(lost, 0, bytes(2 * length, 1));
            endSessions();
            notice(first, "d" + kind);
            try (OpenFile file = second.open(Caller.ROOT, lost.ino(), FileSystem.O_RDWR)) {
                second.setLock(lost.ino(), lock(kind, Lock.Mode.EXCLUSIVE), 0);
                write(file, 0, bytes(length, 2));
                second.setLock(lost.ino(), lock(kind, Lock.Mode.UNLOCK), 0);
                assertLost(lost::flush);
                assertContents(bytes(length, 2), lost.ino());
            }
            lost.close();
        }
    }

    @Test
    void aTruncationUnderLostLocksIsNotDone() {
        OpenFile file = create(first, FileSystem.O_RDWR);
        write(file, 0, bytes(100_000, 1));
        file.flush();
        first.setLock(file.ino(), lock(Lock.Kind.FLOCK, Lock.Mode.EXCLUSIVE), 0);
        assertEquals(100_000, file.attributes().size());
        endSessions();
        AttributeChange cut = AttributeChange.NONE.withSize(0);
        assertLost(() -> first.setAttributes(Caller.ROOT, file.ino(), cut));
        assertContents(bytes(100_000, 1), file.ino());
        assertLost(file::close);
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 100_000})
    void bytesWithoutLocksOutlastTheSession(int length) {
        OpenFile file = create(first, FileSystem.O_RDWR);
        write(file, 0, bytes(length, 1));
        endSessions();
        notice(first, "d");
        file.close();
        assertContents(bytes(length, 1), file.ino());
    }

    /** A file that is in its inode gets a new object when its writer is taken for lost. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void bytesOutlastTheObjectThatTheyWereFor(boolean stored) {
        OpenFile file = create(first, FileSystem.O_RDWR);
        write(file, 0, bytes(15_000, 1));
        if (stored) {
            Await.get(((ClientFile) file).state().drain(), 10_000);
        }
        endSessions();
        long oid = cluster.namespace.require(file.ino()).layout().lastOid();
        cluster.network.ask(
                () -> cluster.namespace.apply(new ContentMutation.RenewTail(file.ino(), oid)));
        notice(first, "d");
        file.sync(false);
        assertContents(bytes(15_000, 1), file.ino());
        file.close();
    }

    /** What cannot go along is told by fsync and by close, to each open file. */
    @Test
    void bytesThatAreLostWithTheirObjectAreTold() {
        OpenFile file = create(first, FileSystem.O_RDWR);
        OpenFile other = first.open(Caller.ROOT, file.ino(), FileSystem.O_RDWR);
        write(file, 0, bytes(150_000, 1));
        Await.get(((ClientFile) file).state().drain(), 10_000);
        endSessions();
        long oid = cluster.namespace.require(file.ino()).layout().lastOid();
        cluster.network.ask(
                () -> cluster.namespace.apply(new ContentMutation.RenewTail(file.ino(), oid)));
        notice(first, "d");
        assertLost(() -> file.sync(false));
        assertLost(other::close);
        file.close();
    }

    /** What is certain not to be held does not bind what is written. */
    @ParameterizedTest
    @ValueSource(longs = {0, 50})
    void refusedLocksDoNotMatter(long waitMs) {
        OpenFile file = create(first, FileSystem.O_RDWR);
        second.setLock(file.ino(), lock(Lock.Kind.FLOCK, Lock.Mode.EXCLUSIVE), 0);
        FsException refused =
                assertThrows(
                        FsException.class,
                        () ->
                                first.setLock(
                                        file.ino(),
                                        lock(Lock.Kind.FLOCK, Lock.Mode.EXCLUSIVE),
                                        waitMs));
        assertEquals(waitMs == 0 ? Errno.EAGAIN : Errno.EINTR, refused.errno());
        cluster.awaitTrue(
                () -> ((ClientFile) file).state().lockingSession() == 0, "nothing may be held");
        write(file, 0, bytes(100, 1));
        endSessions();
        notice(first, "d");
        file.close();
        assertContents(bytes(100, 1), file.ino());
    }

    /** A request whose answer never came may have been granted. */
    @Test
    void locksOfUnknownOutcomeMatter() {
        OpenFile file = create(first, FileSystem.O_RDWR);
        first.setLock(file.ino(), lock(Lock.Kind.FLOCK, Lock.Mode.EXCLUSIVE), 0);
        first.releaseLocks(file.ino(), Lock.Kind.FLOCK, 5);
        cluster.network.setFaults((to, header) -> FakeNetwork.Fate.LOSE_ANSWER);
        assertThrows(
                FsException.class,
                () -> first.setLock(file.ino(), lock(Lock.Kind.FLOCK, Lock.Mode.EXCLUSIVE), 0));
        cluster.network.setFaults((to, header) -> FakeNetwork.Fate.DELIVER);
        assertNotEquals(0, ((ClientFile) file).state().lockingSession());
        file.close();
    }

    @Test
    void releasedLocksDoNotMatterAnyMore() {
        OpenFile file = create(first, FileSystem.O_RDWR);
        first.setLock(file.ino(), lock(Lock.Kind.FLOCK, Lock.Mode.EXCLUSIVE), 0);
        first.releaseLocks(file.ino(), Lock.Kind.FLOCK, 5);
        write(file, 0, bytes(100, 1));
        endSessions();
        notice(first, "d");
        file.close();
        assertContents(bytes(100, 1), file.ino());
    }

    /**
     * The first mutation of a kind is done, its answer is lost with the connection, and the session
     * has ended when the client comes back.
     */
    private void loseAnswerAndSession(Class<? extends Mutation> kind) {
        AtomicInteger seen = new AtomicInteger();
        cluster.network.setFaults(
                (to, header) -> {
                    if (!to.equals(FakeCluster.MASTER)) {
                        return FakeNetwork.Fate.DELIVER;
                    }
                    if (seen.get() == 1) {
                        seen.set(2);
                        cluster.shared.loseSessions();
                    }
                    boolean isFirst = seen.get() == 0 && isOf(kind, header);
                    seen.addAndGet(isFirst ? 1 : 0);
                    return isFirst ? FakeNetwork.Fate.LOSE_ANSWER : FakeNetwork.Fate.DELIVER;
                });
    }

    private static boolean isOf(Class<? extends Mutation> kind, byte[] header) {
        Decoder in = new Decoder(header);
        return MasterRequest.read(in) == MasterRequest.MUTATION
                && kind.isInstance(Envelope.decode(in).mutation().unwrapped());
    }

    @Test
    void whatMayHaveBeenDoneInALostSessionIsNotDoneAgain() {
        loseAnswerAndSession(TreeMutation.Mkdir.class);
        assertLost(() -> mkdir(first, "d"));
        assertTrue(first.lookup(Caller.ROOT, 1, Name.of("d")).isDirectory());
        loseAnswerAndSession(TreeMutation.Rmdir.class);
        assertLost(() -> first.rmdir(Caller.ROOT, 1, Name.of("d")));
        mkdir(first, "d");
    }

    @Test
    void bytesOfACommitThatIsToldInTwoSessionsCountOnce() {
        OpenFile file = create(first, FileSystem.O_RDWR);
        write(file, 0, bytes(100_000, 1));
        file.flush();
        long before = cluster.namespace.require(file.ino()).attributes().usedBytes();
        write(file, 1 << 20, bytes(100_000, 2));
        loseAnswerAndSession(ContentMutation.CommitSize.class);
        file.flush();
        assertEquals((1 << 20) + 100_000, file.attributes().size());
        long after = cluster.namespace.require(file.ino()).attributes().usedBytes();
        assertEquals(100_000, after - before);
        file.close();
    }

    @Test
    void whoEndsItsSessionOpensNoOther() {
        endSessions();
        first.close();
        assertEquals(0, cluster.shared.sessions.size());
    }
}
