package io.cairn.client.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.CairnFileSystem;
import io.cairn.client.ClientFile;
import io.cairn.client.FakeCluster;
import io.cairn.client.chunk.ChunkClones;
import io.cairn.client.chunk.ChunkPlace;
import io.cairn.client.chunk.FakeWriteOwner;
import io.cairn.client.chunk.WriteBack;
import io.cairn.client.chunk.WritePermit;
import io.cairn.client.lock.FileLocks;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.TreeMutation;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a commit does next, after what happened to it; nothing is sent here. */
class CommitterTest {
    private static final byte[] STORED = {1, 2, 3, 4, 5};
    private static final int LARGE = 10_000;

    private final FakeCluster cluster = new FakeCluster(16);
    private Inode inode;
    private FileState state;
    private Committer committer;

    @BeforeEach
    void open() {
        CairnFileSystem fs = cluster.connect();
        try (OpenFile file =
                fs.create(Caller.ROOT, 1, Name.of("f"), 0644, FileSystem.O_RDWR).file()) {
            file.write(0, ByteBuffer.wrap(STORED));
            file.flush();
            inode = ((ClientFile) file).state().inode();
        }
        Mount mount = fs.mount();
        FakeWriteOwner owner =
                new FakeWriteOwner(inode.layout(), new WritePermit(mount.master().session(), 0));
        state =
                new FileState(
                        inode,
                        mount,
                        new FileLocks(mount.master(), cluster.scheduler),
                        new WriteBack(owner, mount.chunks(), mount.pool()),
                        new ChunkClones(owner, mount.chunks()));
        committer = state.committer();
    }

    @AfterEach
    void close() {
        state.chunks().abandon();
        cluster.close();
    }

    private void write(int offset, int length) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) 9);
        assertEquals(length, state.buffer(offset, ByteBuffer.wrap(bytes)));
    }

    /** Begins a commit, and drains; what it does then. */
    private Committer.Step begun() {
        assertNotNull(committer.queue(new CompletableFuture<>(), state));
        assertInstanceOf(Committer.Drain.class, committer.begin(state));
        return committer.drained(state);
    }

    /** The inode as the master has it after a change. */
    private Inode changed(byte[] contents) {
        Attributes a = state.inode().attributes();
        Attributes after =
                new Attributes(
                        a.ino(),
                        a.generation(),
                        a.type(),
                        a.mode(),
                        a.nlink(),
                        a.uid(),
                        a.gid(),
                        a.rdev(),
                        contents.length,
                        contents.length,
                        a.atimeNs(),
                        a.mtimeNs(),
                        a.ctimeNs(),
                        a.version() + 1,
                        a.acls(),
                        a.birthNs(),
                        a.flags());
        return inode.withAttributes(after).withContents(inode.layout(), contents);
    }

    private static Reply refusal(Errno errno) {
        return new Reply.Failure(errno, "refused");
    }

    private static Reply entry(Inode inode) {
        return new Reply.EntryReply(inode, null, null, null);
    }

    @Test
    void nothingIsDoneWhenNothingWasWritten() {
        assertNull(committer.queue(new CompletableFuture<>(), state));
        assertFalse(committer.isBusy());
    }

    @Test
    void whoAsksMeanwhileWaitsForTheOneBefore() {
        write(0, 1);
        CompletableFuture<Void> first = new CompletableFuture<>();
        CompletableFuture<Void> before = committer.queue(first, state);
        assertNotNull(before);
        assertTrue(before.isDone());
        assertTrue(committer.isBusy());
        CompletableFuture<Void> second = new CompletableFuture<>();
        assertSame(first, committer.queue(second, state));
        first.complete(null);
        second.complete(null);
        assertFalse(committer.isBusy());
    }

    @Test
    void aSmallFileIsToldInOneCall() {
        write(5, 3);
        Committer.Tell tell = assertInstanceOf(Committer.Tell.class, begun());
        assertInstanceOf(ContentMutation.WriteInline.class, tell.mutation());
        Inode after = changed(new byte[8]);
        Reply reply = new Reply.WrittenReply(inode.attributes().version(), after);
        assertInstanceOf(Committer.Done.class, committer.answered(state, reply, null));
        assertFalse(state.isDirty());
        assertArrayEquals(new byte[] {1, 2, 3, 4, 5, 9, 9, 9}, state.inode().inline());
    }

    private static Committer.Rider times() {
        return new Committer.Rider(AttributeChange.NONE.withAtime(1).withMtime(2));
    }

    @Test
    void attributesGoAlongWithASmallFile() {
        write(5, 3);
        Committer.Rider first = times();
        Committer.Rider second = times();
        committer.board(first);
        committer.board(second);
        Committer.Tell tell = assertInstanceOf(Committer.Tell.class, begun());
        assertInstanceOf(TreeMutation.WriteAndSet.class, tell.mutation());
        Inode after = changed(new byte[8]);
        Reply reply = new Reply.WrittenReply(inode.attributes().version(), after);
        assertInstanceOf(Committer.Done.class, committer.answered(state, reply, null));
        assertTrue(first.isDone());
        assertFalse(second.isDone(), "only one goes along");
        assertFalse(state.isDirty());
        write(5, 3);
        tell = assertInstanceOf(Committer.Tell.class, begun());
        assertInstanceOf(ContentMutation.WriteInline.class, tell.mutation(), "and only once");
    }

    @Test
    void whenBothAreRefusedTheWriteIsToldAlone() {
        write(5, 3);
        Committer.Rider rider = times();
        committer.board(rider);
        begun();
        assertInstanceOf(
                Committer.Drain.class, committer.answered(state, refusal(Errno.EPERM), null));
        Committer.Tell tell = assertInstanceOf(Committer.Tell.class, committer.drained(state));
        assertInstanceOf(ContentMutation.WriteInline.class, tell.mutation());
        Reply reply = new Reply.WrittenReply(inode.attributes().version(), changed(new byte[8]));
        assertInstanceOf(Committer.Done.class, committer.answered(state, reply, null));
        assertFalse(rider.isDone());
        assertFalse(state.isDirty());
        assertEquals(0, state.errorCount());
    }

    /** The error of a write is told by fsync(2) and close(2), not by chmod(2). */
    @Test
    void aModeIsSetByItselfWhenTheCommitFails() {
        FsException full = new FsException(Errno.EDQUOT);
        assertFalse(new Committer.Rider(AttributeChange.NONE.withMode(0600)).isDone(full));
        assertFalse(times().isDone(null));
        assertSame(full, assertThrows(FsException.class, () -> times().isDone(full)));
    }

    @Test
    void whoWaitsNoLongerSetsNoAttributes() {
        Committer.Rider rider = times();
        committer.board(rider);
        committer.leave(rider);
        write(5, 3);
        Committer.Tell tell = assertInstanceOf(Committer.Tell.class, begun());
        assertInstanceOf(ContentMutation.WriteInline.class, tell.mutation());
    }

    @Test
    void whatOthersWroteBetweenIsLookedAt() {
        write(5, 3);
        begun();
        byte[] both = {7, 7, 7, 7, 7, 9, 9, 9};
        Inode after = changed(both);
        Reply reply = new Reply.WrittenReply(inode.attributes().version() + 1, after);
        assertInstanceOf(Committer.Look.class, committer.answered(state, reply, null));
        assertInstanceOf(Committer.Done.class, committer.looked(state, entry(after), null));
        assertFalse(state.isDirty());
        assertArrayEquals(both, state.inode().inline());
    }

    @Test
    void whatIsWrittenWhileTheMasterIsToldStaysDirty() {
        write(5, 3);
        begun();
        write(0, 1);
        Reply reply = new Reply.WrittenReply(inode.attributes().version(), changed(new byte[8]));
        assertInstanceOf(Committer.Done.class, committer.answered(state, reply, null));
        assertTrue(state.isDirty());
    }

    @Test
    void anInodeThatIsAnotherOneIsLookedAtAndToldAgainButNotForEver() {
        write(5, 3);
        Committer.Step step = begun();
        for (int i = 0; i < Committer.MAX_ROUNDS; i++) {
            assertInstanceOf(Committer.Tell.class, step);
            assertInstanceOf(
                    Committer.Look.class, committer.answered(state, refusal(Errno.ESTALE), null));
            Inode fresh = changed(STORED);
            assertInstanceOf(Committer.Drain.class, committer.looked(state, entry(fresh), null));
            step = committer.drained(state);
        }
        Committer.Failed failed =
                assertInstanceOf(
                        Committer.Failed.class,
                        committer.answered(state, refusal(Errno.ESTALE), null));
        assertEquals(Errno.ESTALE, failed.error().errno());
    }

    @Test
    void whatTheMasterNeverTakesIsGivenUpAndToldOnce() {
        write(5, 3);
        begun();
        assertInstanceOf(
                Committer.Failed.class, committer.answered(state, refusal(Errno.ENOSPC), null));
        assertFalse(state.isDirty());
        assertEquals(1, state.errorCount());
        assertEquals(Errno.ENOSPC, state.lastError().errno());
        assertEquals(STORED.length, state.size());
    }

    @Test
    void whatNoMasterAnsweredStays() {
        write(5, 3);
        begun();
        FsException late = new FsException(Errno.ETIMEDOUT);
        assertInstanceOf(Committer.Failed.class, committer.answered(state, null, late));
        assertTrue(state.isDirty());
        assertEquals(8, state.size());
        assertInstanceOf(Committer.Tell.class, begun());
    }

    @Test
    void inDoubtTheMasterIsAskedFirst() {
        write(5, 3);
        state.beginDoubt();
        assertNotNull(committer.queue(new CompletableFuture<>(), state));
        assertInstanceOf(Committer.Look.class, committer.begin(state));
        assertInstanceOf(Committer.Drain.class, committer.looked(state, entry(inode), null));
        assertFalse(state.isDoubtful());
        assertInstanceOf(Committer.Tell.class, committer.drained(state));
    }

    /** The first write of the chunk failed after it was cloned. */
    @Test
    void aCloneAloneIsToldAndStaysUntoldWhenItIsRefused() throws Exception {
        Layout layout = inode.layout();
        assertNotNull(layout);
        Layout.Run run = layout.runs().getFirst().cloning(layout.lastOid() + 1, 100);
        Layout cloning =
                new Layout(
                        layout.chunkSizeLog2(), layout.stripeWidth(), layout.seed(), List.of(run));
        state.clones().prepare(new ChunkPlace(cloning, run.oid(), 0)).get(60, TimeUnit.SECONDS);
        assertNotNull(committer.queue(new CompletableFuture<>(), state));
        assertInstanceOf(Committer.Drain.class, committer.begin(state));
        Committer.TellClones tell =
                assertInstanceOf(Committer.TellClones.class, committer.drained(state));
        assertEquals(List.of(new ChunkClones.Clone(0, run.oid())), tell.clones());
        FsException full = new FsException(Errno.ENOSPC);
        assertInstanceOf(Committer.Failed.class, committer.clonesTold(state, full));
        assertTrue(state.clones().hasUntold());
        state.clones().told(tell.clones());
        assertInstanceOf(Committer.Done.class, committer.clonesTold(state, null));
    }

    @Test
    void bytesOfOthersMoveOnlyUnderTheToken() {
        write(STORED.length, LARGE);
        assertTrue(state.contents().isMoving());
        assertInstanceOf(Committer.ObtainToken.class, begun());
        FsException late = new FsException(Errno.ETIMEDOUT);
        assertInstanceOf(Committer.Failed.class, committer.obtained(state, late));
        assertTrue(state.isDirty());
        assertInstanceOf(Committer.ObtainToken.class, begun());
        AppendToken token = state.token();
        token.fetch(false);
        token.taken(token.asking());
        token.fetched();
        token.seen(token.number());
        assertInstanceOf(Committer.Drain.class, committer.obtained(state, null));
        assertTrue(state.contents().holds(0, STORED.length), "they go along");
    }

    @Test
    void aTokenThatIsLostEachTimeEndsTheCommit() {
        write(STORED.length, LARGE);
        Committer.Step step = begun();
        for (int i = 0; i < Committer.MAX_ROUNDS; i++) {
            assertInstanceOf(Committer.ObtainToken.class, step);
            step = committer.obtained(state, null);
        }
        assertEquals(
                Errno.ETIMEDOUT, assertInstanceOf(Committer.Failed.class, step).error().errno());
    }
}
