package io.cairn.master;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.cluster.Policy;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Lock;
import io.cairn.fs.Name;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.wire.Encoder;
import io.cairn.wire.Limits;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.InodeEdit;
import io.cairn.wire.master.JobMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Push;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.TreeMutation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who hears that a file was cut or lengthened, and how long the answer waits for that. */
class ContentWatchTest {
    private static final long LEASE_MS = 15_000;

    private final HandScheduler time = new HandScheduler();
    private final Namespace namespace = new Namespace(new MemoryStore());
    private final SessionTable sessions = new SessionTable(time, LEASE_MS);
    private final ContentWatch watch = new ContentWatch(() -> namespace, sessions, time);
    private final Map<Long, Long> sequences = new HashMap<>();
    private final PushedPeer one = new PushedPeer(ContentWatchTest::sizeOf);
    private final PushedPeer two = new PushedPeer(ContentWatchTest::sizeOf);
    private long index;
    private long first;
    private long second;
    private long ino;
    private int sent;

    /** The size that a push tells, which files have to be committed, or how long to keep still. */
    private static long sizeOf(Push push) {
        if (push instanceof Push.HoldStill still) {
            return still.ms();
        }
        return push instanceof Push.CommitFiles files
                ? Arrays.hashCode(files.inos())
                : assertInstanceOf(Push.Changed.class, push).inode().attributes().size();
    }

    @BeforeEach
    void open() {
        settle(0, new LeaderMutation.Found(7, 1, 4096));
        first = openSession(one);
        second = openSession(two);
        Mutation create =
                new TreeMutation.Create(
                        FileSystem.ROOT_INO,
                        Name.of("f"),
                        FileType.FILE,
                        0644,
                        0,
                        0,
                        0,
                        false,
                        0,
                        new byte[0],
                        false);
        ino = assertInstanceOf(Reply.EntryReply.class, settle(first, create)).inode().ino();
        sessions.open(first, ino);
        sessions.open(second, ino);
        sent = 0;
    }

    private long openSession(PushedPeer peer) {
        Reply reply = settle(0, new SessionMutation.OpenSession("test"));
        long session = assertInstanceOf(Reply.SessionReply.class, reply).session();
        sessions.opened(session);
        sessions.keepAlive(session, peer, true, new long[0]);
        return session;
    }

    private Reply settle(long session, Mutation mutation) {
        long sequence = sequences.merge(session, 1L, Long::sum);
        Envelope envelope = new Envelope(session, sequence, sequence - 1, 1000, mutation);
        byte[] entry = new Encoder().bytes(envelope.toBytes()).toBytes();
        Reply reply = namespace.apply(1, ++index, entry).outcomes().getFirst().reply();
        watch.settle(envelope, reply, () -> sent++);
        return reply;
    }

    private Mutation resize(long size) {
        return new TreeMutation.SetAttributes(ino, AttributeChange.NONE.withSize(size));
    }

    private Mutation write(long size) {
        long cuts = Objects.requireNonNull(namespace.inode(ino)).cuts();
        return new ContentMutation.WriteInline(ino, cuts, List.of(), size, 5);
    }

    @Test
    void theAnswerWaitsUntilWhoHoldsTheFileOpenKnows() {
        settle(second, resize(100));
        assertEquals(List.of(100L), one.told);
        assertEquals(List.of(), two.told, "its own change");
        assertEquals(0, sent);
        one.answer();
        assertEquals(1, sent);
        time.pass(LEASE_MS);
        assertEquals(1, sent, "the answer goes once");
    }

    @Test
    void attributesThatAWriteTakesAlongAreToldAsTheWriteIs() {
        Mutation write = write(10);
        settle(second, write);
        AttributeChange mode = AttributeChange.NONE.withMode(0600);
        settle(second, new TreeMutation.WriteAndSet((ContentMutation.WriteInline) write, mode));
        assertEquals(List.of(), one.told, "nobody appends");
        assertEquals(2, sent);
    }

    @Test
    void flagsAreToldToWhoHoldsTheFileOpen() {
        int append = Attributes.APPEND;
        AttributeChange change = AttributeChange.NONE.withFlags(append, append);
        settle(second, new TreeMutation.SetAttributes(ino, change));
        assertEquals(List.of(0L), one.told);
        assertEquals(0, sent);
        one.answer();
        assertEquals(1, sent);
        settle(second, new TreeMutation.SetAttributes(ino, AttributeChange.NONE.withMode(0600)));
        assertEquals(1, one.told.size(), "a mode is looked up when it is needed");
    }

    /** As clients have the file in its inode, and would put its chunks where they were to be. */
    @Test
    void whatAnAdministratorLaysOutAnewIsToldToAll() {
        Policy larger = new Policy(0, 24, -1);
        InodeEdit edit = new InodeEdit(-1, -1, null, InodeEdit.CHUNK_SIZE, larger);
        settle(0, new JobMutation.EditInode(ino, 0, edit));
        assertEquals(List.of(1, 1), List.of(one.told.size(), two.told.size()));
        one.answer();
        assertEquals(0, sent);
        two.answer();
        assertEquals(1, sent);
        watch.changed(ino);
        assertEquals(List.of(2, 2), List.of(one.told.size(), two.told.size()));
    }

    @Test
    void nobodyIsAskedAboutWhatOneClientDoes() {
        sessions.release(first, new long[] {ino});
        settle(second, resize(100));
        settle(second, resize(10));
        settle(second, write(500));
        assertEquals(3, sent);
        assertEquals(List.of(), one.told);
    }

    /** All others ask for the size before they append. */
    @Test
    void aCommitIsToldToWhoMayAppend() {
        settle(second, write(500));
        assertEquals(1, sent);
        Lock token = new Lock(Lock.Kind.APPEND, Lock.Mode.EXCLUSIVE, -5, 0, Lock.TO_END, 0);
        settle(first, new SessionMutation.SetLock(ino, token, false, 1));
        settle(first, write(600));
        assertEquals(3, sent, "its own commit");
        settle(second, write(700));
        assertEquals(List.of(700L), one.told);
        assertEquals(3, sent);
        one.answer();
        assertEquals(4, sent);
    }

    @Test
    void whoDoesNotAnswerIsWaitedForAsLongAsItBelieves() {
        long believesMs = Limits.believesMs(LEASE_MS);
        time.pass(2000);
        settle(second, resize(100));
        time.pass(believesMs * 5 / 4 - 2001);
        assertEquals(0, sent);
        time.pass(1);
        assertEquals(1, sent);
        settle(second, resize(10));
        assertEquals(2, sent, "it has not been heard for long enough");
        assertEquals(List.of(100L, 10L), one.told, "it is told anyway");
    }

    @Test
    void aSnapshotWaitsForWritersBelowItAndNotForLong() {
        TreeMutation.Mkdir mkdir =
                new TreeMutation.Mkdir(FileSystem.ROOT_INO, Name.of("d"), 0755, 0, 0);
        long dir = assertInstanceOf(Reply.EntryReply.class, settle(first, mkdir)).inode().ino();
        CompletableFuture<Void> none = watch.commit(dir);
        assertTrue(none.isDone(), "nothing is open there");
        settle(
                first,
                new TreeMutation.Rename(
                        FileSystem.ROOT_INO, Name.of("f"), dir, Name.of("g"), 0, 0, 0));
        CompletableFuture<Void> both = watch.commit(dir);
        long files = Arrays.hashCode(new long[] {ino});
        assertEquals(List.of(files), one.told);
        assertEquals(List.of(files), two.told);
        one.answer();
        assertFalse(both.isDone());
        two.answer();
        assertTrue(both.isDone());
        CompletableFuture<Void> late = watch.commit(FileSystem.ROOT_INO);
        assertEquals(2, one.told.size());
        time.pass(1999);
        assertFalse(late.isDone());
        time.pass(1);
        assertTrue(late.isDone());
    }

    @Test
    void whoHasGoneIsWaitedForAndNotTold() {
        sessions.disconnected(one);
        settle(second, resize(100));
        assertEquals(0, sent);
        time.pass(Limits.MAX_ABSENCE_MS);
        assertEquals(1, sent, "it knows that it hears nothing");
        assertEquals(List.of(), one.told);
    }

    /** It may hold the file open, and believes the last term. */
    @Test
    void whoHasNotToldANewTermWhatItHoldsOpenIsWaitedFor() {
        sessions.reset(2, List.of(first, second));
        sessions.keepAlive(second, two, true, new long[] {ino});
        settle(second, resize(100));
        settle(second, resize(10));
        assertEquals(0, sent);
        sessions.keepAlive(first, one, true, new long[] {ino});
        assertEquals(2, sent, "it asks before it writes");
        assertEquals(List.of(), one.told);
        settle(second, resize(30));
        assertEquals(List.of(30L), one.told, "as ever");
    }

    @Test
    void whoNeverHearsOfANewTermIsWaitedForAsLongAsItBelieves() {
        sessions.reset(2, List.of(first, second));
        sessions.keepAlive(second, two, true, new long[] {ino});
        time.pass(2000);
        // Nothing but a renewal tells it that it is heard.
        sessions.touch(first);
        settle(second, resize(100));
        time.pass(Limits.believesMs(LEASE_MS) * 5 / 4 - 2001);
        assertEquals(0, sent);
        time.pass(1);
        assertEquals(1, sent);
        settle(second, resize(10));
        assertEquals(2, sent);
    }

    @Test
    void nothingMovesBesideAWriterThatMayBeThere() {
        sessions.reset(2, List.of(first, second));
        sessions.keepAlive(second, two, true, new long[] {ino});
        List<Reply> answers = new ArrayList<>();
        watch.holdStill(second, new Query.HoldStill(ino, 100), answers::add);
        Reply answer = answers.getFirst();
        assertEquals(Errno.EBUSY, assertInstanceOf(Reply.Failure.class, answer).errno());
    }

    @Test
    void nobodyHoldsAFileStillForLong() {
        for (int ms : new int[] {-1, ContentWatch.MAX_STILL_MS + 1, Integer.MAX_VALUE}) {
            List<Reply> answers = new ArrayList<>();
            watch.holdStill(second, new Query.HoldStill(ino, ms), answers::add);
            Reply answer = answers.getFirst();
            assertEquals(Errno.EINVAL, assertInstanceOf(Reply.Failure.class, answer).errno());
            sessions.open(first, ino);
        }
    }

    @Test
    void aSessionThatEndedHoldsNothingStill() {
        assertTrue(sessions.holdStill(second, ino, ContentWatch.MAX_STILL_MS));
        assertFalse(sessions.holdStill(first, ino, 1));
        sessions.closed(second);
        sessions.open(first, ino);
        assertTrue(sessions.holdStill(first, ino, 1));
    }

    /** Another session may have had them keep still before this term, or by now. */
    @Test
    void nobodyEndsWhatHasEndedForHim() {
        List<Reply> answers = new ArrayList<>();
        watch.holdStill(second, new Query.HoldStill(ino, 100), answers::add);
        watch.holdStill(second, new Query.HoldStill(ino, 0), answers::add);
        assertEquals(List.of(100L, 0L), one.told);
        watch.holdStill(second, new Query.HoldStill(ino, 0), answers::add);
        sessions.reset(2, List.of(first, second));
        sessions.keepAlive(first, one, true, new long[] {ino});
        sessions.keepAlive(second, two, true, new long[] {ino});
        watch.holdStill(second, new Query.HoldStill(ino, 0), answers::add);
        assertEquals(List.of(100L, 0L), one.told, "nothing more");
        assertInstanceOf(Reply.Done.class, answers.getLast());
    }
}
