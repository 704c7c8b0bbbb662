package io.cairn.master;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.cluster.Policy;
import io.cairn.cluster.Policy.StorageClass;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.master.access.MountRules;
import io.cairn.master.delegation.DelegationGate;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.Outcome;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.net.Message;
import io.cairn.wire.master.ContentMutation.SnapshotMutation;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.JobMutation.ClassMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Push;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.RecordChange;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.SessionMutation.MakeFile;
import io.cairn.wire.master.SessionMutation.ReserveNumbers;
import io.cairn.wire.master.SessionMutation.Reserved;
import io.cairn.wire.master.TreeMutation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who gets the right to make names alone, and who waits until it was recalled. */
class DelegationGateTest {
    private static final long ROOT = FileSystem.ROOT_INO;
    private static final Name NAME = Name.of("name");
    private static final long LEASE_MS = 15_000;

    private final HandScheduler time = new HandScheduler();
    private final Namespace namespace = new Namespace(new MemoryStore());
    private final DirectLog log = new DirectLog(namespace);
    private final SessionTable sessions = new SessionTable(time, LEASE_MS);
    private final DirectoryWatch watch = new DirectoryWatch(sessions, time, time);
    private final DelegationGate gate =
            new DelegationGate(log::submit, () -> namespace, sessions, watch::isAlone, time, time);
    private final PushedPeer one = new PushedPeer(DelegationGateTest::directoryOf);
    private final PushedPeer two = new PushedPeer(DelegationGateTest::directoryOf);
    private final List<Query> answered = new ArrayList<>();
    private long sequence;
    private long dir;

    /** The directory that a push is about; as its complement when it is only to be forgotten. */
    private static long directoryOf(Push push) {
        return push instanceof Push.RecallNames recall
                ? recall.ino()
                : ~((Push.Invalidate) push).ino();
    }

    @BeforeEach
    void open() {
        apply(0, new LeaderMutation.Found(77, 1, 4096));
        apply(0, new SessionMutation.OpenSession("one"));
        apply(0, new SessionMutation.OpenSession("two"));
        sessions.opened(1);
        sessions.opened(2);
        sessions.keepAlive(1, one, true, new long[0]);
        sessions.keepAlive(2, two, true, new long[0]);
        dir = made(submit(1, new TreeMutation.Mkdir(ROOT, Name.of("d"), 0755, 0, 0)));
    }

    private static long made(CompletableFuture<Outcome> done) {
        return assertInstanceOf(Reply.EntryReply.class, done.join().reply()).inode().ino();
    }

    private CompletableFuture<Outcome> submit(long session, Mutation mutation) {
        sessions.touch(session);
        Envelope envelope = new Envelope(session, ++sequence, sequence - 1, 0, mutation);
        return gate.submit(envelope.toBytes(), 0);
    }

    private void apply(long session, Mutation mutation) {
        assertTrue(submit(session, mutation).isDone());
    }

    private Reserved reserve(long session) {
        Reply reply = submit(session, new ReserveNumbers(dir, true)).join().reply();
        return reply instanceof Reply.Failure
                ? new Reserved(0, 0, false)
                : Reserved.of(assertInstanceOf(Reply.BytesReply.class, reply));
    }

    private TreeMutation.Create creation(String name) {
        byte[] text = name.getBytes(StandardCharsets.UTF_8);
        return new TreeMutation.Create(
                dir, Name.of(name), FileType.FILE, 0644, 0, 0, 0, false, 0, text, false);
    }

    private void ask(long session, Query query) {
        sessions.touch(session);
        gate.serve(session, query, () -> answered.add(query));
    }

    @Test
    void whoAsksWaitsUntilAllWasTold() {
        Reserved numbers = reserve(1);
        assertTrue(numbers.isDelegated());
        Query lookup = new Query.Lookup(dir, NAME);
        ask(1, lookup);
        assertEquals(List.of(lookup), answered, "its own questions do not wait");
        ask(2, lookup);
        ask(2, new Query.GetInode(ROOT));
        assertEquals(2, answered.size(), "only what is about the directory waits");
        assertEquals(List.of(dir), one.told);
        var make = new MakeFile(creation("name"), numbers.firstIno(), 1, AttributeChange.NONE);
        assertEquals(numbers.firstIno(), made(submit(1, make)));
        one.answer();
        assertEquals(3, answered.size());
        assertEquals(0, gate.size());
    }

    @Test
    void nothingIsDelegatedWhileAClassIsEncrypted() {
        Policy encrypted = Policy.STANDARD.withKey(7);
        apply(0, new ClassMutation.SetClass(new StorageClass("secret", encrypted, -1), true));
        assertFalse(reserve(1).isDelegated(), "mounts would put contents into inodes");
    }

    @Test
    void aNameIsMadeOnce() {
        Reserved numbers = reserve(1);
        CompletableFuture<Outcome> second = submit(2, creation("name"));
        assertFalse(second.isDone());
        apply(1, new MakeFile(creation("name"), numbers.firstIno(), 1, AttributeChange.NONE));
        one.answer();
        Reply refused = second.join().reply();
        assertEquals(Errno.EEXIST, assertInstanceOf(Reply.Failure.class, refused).errno());
    }

    @Test
    void removingTheDirectoryAndWorkOfTheLeaderWait() {
        reserve(1);
        CompletableFuture<Outcome> removal = submit(2, new TreeMutation.Rmdir(ROOT, Name.of("d")));
        assertFalse(removal.isDone());
        one.answer();
        assertTrue(removal.isDone());
        dir = made(submit(1, new TreeMutation.Mkdir(ROOT, Name.of("e"), 0755, 0, 0)));
        assertTrue(reserve(1).isDelegated());
        assertTrue(submit(0, new LeaderMutation.DoubtObjects()).isDone());
        assertFalse(submit(0, new LeaderMutation.TrashMutation.SetRetention(1, 1)).isDone());
    }

    /** It would wait for ever while mounts make directories all the time. */
    @Test
    void nobodyGetsARightWhileTheLeaderWaitsForAll() {
        reserve(1);
        CompletableFuture<Outcome> done =
                submit(0, new LeaderMutation.TrashMutation.SetRetention(1, 1));
        dir = made(submit(2, new TreeMutation.Mkdir(ROOT, Name.of("e"), 0755, 0, 0)));
        assertFalse(reserve(2).isDelegated());
        assertFalse(done.isDone());
        one.answer();
        assertTrue(done.isDone());
        assertTrue(reserve(2).isDelegated());
    }

    @Test
    void recordsWaitForNobodyUnlessTheyAreMountRules() {
        assertTrue(reserve(1).isDelegated());
        assertTrue(submit(0, new LeaderMutation.ChangeRecords(List.of(record("a")))).isDone());
        assertTrue(submit(0, new LeaderMutation.ChangeSettings(2, List.of(record("b")))).isDone());
        assertEquals(List.of(), one.told);
        RecordChange rules = record(MountRules.RECORD);
        var changed = submit(0, new LeaderMutation.ChangeRecords(List.of(record("c"), rules)));
        assertFalse(changed.isDone());
        one.answer();
        assertTrue(changed.isDone());
    }

    private static RecordChange record(String key) {
        return new RecordChange(key, RecordChange.ANY, new byte[] {1});
    }

    @Test
    void nobodyGetsTheRightWhileAnotherOneBelieves() {
        watch.watch(2, dir);
        assertFalse(reserve(1).isDelegated(), "another one may know all names");
        watch.reset();
        watch.missed(2, dir, NAME);
        assertFalse(reserve(1).isDelegated(), "another one may believe that a name is absent");
        time.pass(1001);
        watch.missed(1, dir, NAME);
        assertTrue(reserve(1).isDelegated());
        assertFalse(reserve(2).isDelegated(), "there is one at a time");
    }

    @Test
    void whatAMountCannotTellExactlyIsNotDelegated() {
        var nodump = AttributeChange.NONE.withFlags(4, 4);
        apply(1, new TreeMutation.SetAttributes(dir, nodump));
        assertFalse(reserve(1).isDelegated());
    }

    @Test
    void aSessionThatEndsOrIsSilentLosesItsRight() {
        reserve(1);
        Query lookup = new Query.Lookup(dir, NAME);
        ask(2, lookup);
        sessions.closed(1);
        time.pass(200);
        assertEquals(List.of(), answered, "a call is under way");
        one.answers.getFirst().completeExceptionally(new IllegalStateException("gone"));
        time.pass(200);
        assertEquals(List.of(lookup), answered);
    }

    @Test
    void aNewLeaderRecallsFromAllThatReservedNumbers() {
        reserve(1);
        gate.reset(() -> {});
        assertEquals(List.of(0L), one.told);
        assertEquals(List.of(), two.told);
        ask(2, new Query.Lookup(ROOT, NAME));
        assertEquals(List.of(), answered, "it may be about any directory");
        one.answer();
        assertEquals(1, answered.size());
    }

    @Test
    void whoDroppedTheRightGetsItAnew() {
        assertTrue(reserve(1).isDelegated());
        assertTrue(reserve(1).isDelegated());
        assertEquals(1, gate.size());
        ask(2, new Query.Lookup(dir, NAME));
        assertFalse(reserve(1).isDelegated(), "it is being recalled");
        one.answer();
        assertEquals(0, gate.size());
    }

    @Test
    void aRightThatIsNotUsedIsTakenBack() {
        Reserved numbers = reserve(1);
        time.pass(2000);
        apply(1, new MakeFile(creation("name"), numbers.firstIno(), 1, AttributeChange.NONE));
        time.pass(2000);
        gate.tick();
        assertEquals(List.of(), one.told, "it was used");
        time.pass(1000);
        gate.tick();
        assertEquals(List.of(dir), one.told);
        one.answer();
        assertEquals(0, gate.size());
        assertTrue(reserve(1).isDelegated());
    }

    @Test
    void aDirectoryWithSnapshotsIsNotDelegated() {
        apply(0, new SnapshotMutation.BeginSnapshot(dir, Name.of("s")));
        assertFalse(reserve(1).isDelegated());
        dir = made(submit(1, new TreeMutation.Mkdir(dir, Name.of("below"), 0755, 0, 0)));
        assertTrue(reserve(1).isDelegated());
    }

    @Test
    void takingNamesAwayUsesARight() {
        Reserved numbers = reserve(1);
        apply(1, new MakeFile(creation("name"), numbers.firstIno(), 1, AttributeChange.NONE));
        time.pass(2000);
        apply(1, new TreeMutation.Unlink(dir, NAME));
        time.pass(2000);
        gate.tick();
        assertEquals(List.of(), one.told);
        apply(1, new TreeMutation.Rmdir(dir, NAME));
        time.pass(2000);
        gate.tick();
        assertEquals(List.of(), one.told);
        time.pass(1000);
        gate.tick();
        assertEquals(List.of(dir), one.told);
    }

    @Test
    void aDirectoryUnderANumberIsMadeAsAnyOther() {
        Reserved numbers = reserve(1);
        var mkdir = new TreeMutation.Mkdir(dir, Name.of("sub"), 0755, 0, 0);
        var others = submit(2, new SessionMutation.MakeDirectory(mkdir, 77));
        assertFalse(others.isDone(), "another one makes names there alone");
        long sub = numbers.firstIno();
        assertEquals(sub, made(submit(1, new SessionMutation.MakeDirectory(mkdir, sub))));
        one.answer();
        Reply refused = others.join().reply();
        assertEquals(Errno.EINVAL, assertInstanceOf(Reply.Failure.class, refused).errno());
        dir = sub;
        assertTrue(reserve(1).isDelegated());
    }

    @Test
    void aDirectoryThatOthersAskedAboutIsNotDelegatedForAWhile() {
        assertTrue(reserve(1).isDelegated());
        ask(2, new Query.GetInode(dir));
        one.answer();
        assertFalse(reserve(1).isDelegated());
        time.pass(5000);
        assertTrue(reserve(1).isDelegated());
    }

    @Test
    void whoGaveAllNumbersBackIsNotAsked() {
        reserve(1);
        ask(2, new Query.GetInode(dir));
        one.answer();
        apply(1, new ReserveNumbers(ReserveNumbers.ALL_BACK, false));
        gate.reset(() -> {});
        assertEquals(List.of(dir), one.told);
        ask(2, new Query.Lookup(ROOT, NAME));
        assertEquals(2, answered.size());
    }

    @Test
    void filesOfTwoMountsAreToldToANewLeader() {
        Reserved numbers = reserve(1);
        long other = dir;
        dir = made(submit(2, new TreeMutation.Mkdir(ROOT, Name.of("e"), 0755, 0, 0)));
        Reserved others = reserve(2);
        gate.reset(() -> {});
        var make = new MakeFile(creation("a"), others.firstIno(), 1, AttributeChange.NONE);
        assertEquals(others.firstIno(), made(submit(2, make)), "it waits for nobody");
        dir = other;
        make = new MakeFile(creation("b"), numbers.firstIno(), 1, AttributeChange.NONE);
        assertEquals(numbers.firstIno(), made(submit(1, make)));
    }

    @Test
    void namesThatTwoMountsTookAwayAreToldToANewLeader() {
        apply(1, creation("name"));
        reserve(1);
        long first = dir;
        dir = made(submit(2, new TreeMutation.Mkdir(ROOT, Name.of("e"), 0755, 0, 0)));
        apply(2, creation("name"));
        reserve(2);
        gate.reset(() -> {});
        CompletableFuture<Outcome> early = submit(1, new TreeMutation.Unlink(first, NAME));
        CompletableFuture<Outcome> other = submit(2, new TreeMutation.Unlink(dir, NAME));
        assertEquals(List.of(0L, first), two.told);
        assertEquals(List.of(0L, dir), one.told);
        assertFalse(early.isDone(), "the other one may have made names there");
        // Each answers the recall of all when its name has gone.
        two.answers.get(1).complete(Message.empty());
        assertTrue(early.isDone());
        assertFalse(other.isDone());
        one.answers.get(1).complete(Message.empty());
        assertInstanceOf(Reply.EntryReply.class, other.join().reply());
    }

    /** A recall gets no answer in its time. */
    private void unanswered(PushedPeer peer) {
        peer.answers.getLast().completeExceptionally(new IllegalStateException("no answer"));
    }

    @Test
    void theRightsOfASilentSessionAreTaken() {
        Reserved numbers = reserve(1);
        apply(1, new MakeFile(creation("name"), numbers.firstIno(), 1, AttributeChange.NONE));
        Query lookup = new Query.Lookup(dir, NAME);
        ask(2, lookup);
        unanswered(one);
        time.pass(3700);
        assertEquals(List.of(dir, dir), one.told);
        assertEquals(List.of(), answered, "by its own clock it may still have them");
        unanswered(one);
        time.pass(500);
        assertEquals(List.of(lookup), answered);
        assertEquals(0, gate.size());
        long last = numbers.firstIno() + numbers.count() - 1;
        Mutation removal = new SessionMutation.RemoveEarly(dir, NAME, false, last);
        Reply refused = submit(1, removal).join().reply();
        assertEquals(Errno.EINVAL, assertInstanceOf(Reply.Failure.class, refused).errno());
        answered.clear();
        gate.reset(() -> {});
        ask(2, lookup);
        assertEquals(List.of(lookup), answered, "a new leader does not wait for it again");
    }

    @Test
    void whoIsHeardKeepsItsRights() {
        reserve(1);
        ask(2, new Query.Lookup(dir, NAME));
        for (int i = 0; i < 10; i++) {
            unanswered(one);
            time.pass(1000);
            sessions.touch(1);
        }
        assertEquals(List.of(), answered);
        one.answer();
        assertEquals(1, answered.size());
    }

    @Test
    void aNewLeaderWaitsForTheUnheardNoLongerThanTheirRightsLast() {
        reserve(1);
        gate.reset(() -> sessions.reset(2, List.of(1L, 2L)));
        sessions.keepAlive(2, two, true, new long[0]);
        ask(2, new Query.Lookup(ROOT, NAME));
        time.pass(3700);
        assertEquals(List.of(), answered);
        time.pass(500);
        assertEquals(1, answered.size());
    }

    @Test
    void whoComesTooLateMakesAFileAsAnybody() {
        Reserved numbers = reserve(1);
        ask(2, new Query.Lookup(dir, NAME));
        time.pass(3800);
        unanswered(one);
        time.pass(400);
        assertEquals(1, answered.size());
        time.pass(5000);
        sessions.keepAlive(2, two, true, new long[0]);
        Reserved others = reserve(2);
        assertTrue(others.isDelegated());
        var late = new MakeFile(creation("name"), numbers.firstIno(), 1, AttributeChange.NONE);
        CompletableFuture<Outcome> second = submit(1, late);
        assertFalse(second.isDone(), "another one makes names there alone now");
        assertEquals(List.of(dir), two.told);
        apply(2, new MakeFile(creation("name"), others.firstIno(), 1, AttributeChange.NONE));
        two.answer();
        Reply refused = second.join().reply();
        assertEquals(Errno.EEXIST, assertInstanceOf(Reply.Failure.class, refused).errno());
        var free = new MakeFile(creation("free"), numbers.firstIno() + 1, 1, AttributeChange.NONE);
        assertEquals(numbers.firstIno() + 1, made(submit(1, free)));
    }
}
