package io.cairn.master;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.quota.Account;
import io.cairn.fs.quota.Quota;
import io.cairn.fs.quota.Sums;
import io.cairn.master.access.MountRules;
import io.cairn.master.delegation.DelegationGate;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.Outcome;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Push;
import io.cairn.wire.master.RecordChange;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.SessionMutation.ReserveNumbers;
import io.cairn.wire.master.SessionMutation.Reserved;
import io.cairn.wire.master.TreeMutation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Where nobody gets the right to make names alone, as mount rules or quotas may refuse them. */
class DelegationConditionsTest {
    private static final long ROOT = FileSystem.ROOT_INO;

    private final HandScheduler time = new HandScheduler();
    private final Namespace namespace = new Namespace(new MemoryStore());
    private final DirectLog log = new DirectLog(namespace);
    private final SessionTable sessions = new SessionTable(time, 15_000);
    private final DelegationGate gate =
            new DelegationGate(this::log, () -> namespace, sessions, (_, _) -> true, time, time);
    private final PushedPeer one = new PushedPeer(push -> ((Push.RecallNames) push).ino());

    /** What the leader does just before the next request. */
    private final List<Mutation> before = new ArrayList<>();

    private long sequence;
    private long dir;

    @BeforeEach
    void open() {
        apply(0, new LeaderMutation.Found(77, 1, 4096));
        apply(0, new SessionMutation.OpenSession("one"));
        sessions.opened(1);
        sessions.keepAlive(1, one, true, new long[0]);
        dir = mkdir(ROOT, "d");
    }

    private CompletableFuture<Outcome> log(byte[] frame, int offset) {
        before.forEach(
                each -> {
                    var _ = log.submit(new Envelope(0, 0, 0, 0, each).toBytes(), 0);
                });
        before.clear();
        return log.submit(frame, offset);
    }

    private CompletableFuture<Outcome> submit(long session, Mutation mutation) {
        sessions.touch(session);
        Envelope envelope = new Envelope(session, ++sequence, sequence - 1, 0, mutation);
        return gate.submit(envelope.toBytes(), 0);
    }

    private void apply(long session, Mutation mutation) {
        Reply reply = submit(session, mutation).join().reply();
        assertFalse(reply instanceof Reply.Failure, reply::toString);
    }

    private long mkdir(long parent, String name) {
        var mkdir = new TreeMutation.Mkdir(parent, Name.of(name), 0755, 0, 0);
        Reply reply = submit(1, mkdir).join().reply();
        return assertInstanceOf(Reply.EntryReply.class, reply).inode().ino();
    }

    private boolean isDelegated() {
        Reply reply = submit(1, new ReserveNumbers(dir, true)).join().reply();
        return Reserved.of(assertInstanceOf(Reply.BytesReply.class, reply)).isDelegated();
    }

    private void refused(Errno errno) {
        Reply reply = submit(1, new ReserveNumbers(dir, true)).join().reply();
        assertEquals(errno, assertInstanceOf(Reply.Failure.class, reply).errno());
        assertFalse(namespace.sessions().getFirst().mayHaveRights(), "no numbers in vain");
    }

    @Test
    void nothingIsDelegatedUnderMountRules() {
        apply(0, new LeaderMutation.ChangeRecords(List.of(record(MountRules.RECORD))));
        refused(Errno.EOPNOTSUPP);
    }

    /** The request passes before the rules are there, and comes behind them in the log. */
    @Test
    void aRuleThatIsSetJustThenIsKept() {
        RecordChange rules = record(MountRules.RECORD);
        before.add(new LeaderMutation.ChangeRecords(List.of(rules)));
        assertFalse(isDelegated());
        assertEquals(0, gate.size());
    }

    @Test
    void aQuotaElsewhereIsNotInTheWay() {
        long other = mkdir(ROOT, "o");
        apply(0, quota(Account.directory(other)));
        long plain = dir;
        dir = mkdir(other, "below");
        refused(Errno.EPERM);
        dir = plain;
        assertTrue(isDelegated());
    }

    @Test
    void nothingIsDelegatedWhileOwnersHaveQuotas() {
        apply(0, quota(Account.group(7)));
        refused(Errno.EOPNOTSUPP);
    }

    @Test
    void aQuotaThatIsSetJustThenIsKept() {
        before.add(quota(Account.directory(ROOT)));
        assertFalse(isDelegated());
        assertEquals(0, gate.size());
    }

    /** Mounts do not know that a quota counts for what they made somewhere below. */
    @Test
    void aDirectoryComesUnderAQuotaWhenNobodyMakesNamesAlone() {
        long other = mkdir(ROOT, "o");
        long plain = mkdir(ROOT, "p");
        long top = dir;
        dir = mkdir(top, "below");
        apply(0, quota(Account.directory(other)));
        assertTrue(isDelegated());
        apply(1, rename(ROOT, plain));
        assertEquals(List.of(), one.told, "no quota comes with that");
        CompletableFuture<Outcome> moved = submit(1, rename(plain, other));
        assertFalse(moved.isDone(), "also for its own files");
        one.answer();
        assertTrue(moved.isDone());
        Reply reply = submit(1, new ReserveNumbers(dir, true)).join().reply();
        assertEquals(Errno.EPERM, assertInstanceOf(Reply.Failure.class, reply).errno());
    }

    private static TreeMutation.Rename rename(long from, long to) {
        Name name = Name.of("d");
        return new TreeMutation.Rename(from, name, to, name, 0, 0, 0);
    }

    private static LeaderMutation.SetQuota quota(Account account) {
        Quota limit = new Quota(Sums.ZERO, new Sums(5, 0, 0), 60_000);
        return new LeaderMutation.SetQuota(account, limit, false);
    }

    private static RecordChange record(String key) {
        return new RecordChange(key, RecordChange.ANY, new byte[] {1});
    }
}
