package io.cairn.metadata.lock;

import io.cairn.fs.HostRecord;
import io.cairn.fs.Lock;
import io.cairn.metadata.inode.InodeQueries;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.LockOwner;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.View;
import io.cairn.wire.Codecs;
import io.cairn.wire.Decoder;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.Reply.LockOutcome;
import io.cairn.wire.master.Reply.LockReply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Queries about locks and their holders. Pure functions. */
public final class LockQueries {
    private static final byte[] ALL = {};
    private static final int MAX_HOSTS_PAGE = 1000;

    private LockQueries() {}

    /** The session that has the APPEND token of a file; 0 when none has. */
    public static long appender(View view, long ino) {
        byte[] prefix = Keys.heldPrefix(ino, Lock.Kind.APPEND);
        long[] session = {0};
        view.scan(
                Family.LOCK,
                prefix,
                prefix,
                (key, value) -> {
                    session[0] = Keys.numberAt(key, 10);
                    return false;
                });
        return session[0];
    }

    public static LockReply testLock(View view, long session, Query.TestLock q) {
        return testLock(view, session, q.ino(), q.wanted());
    }

    public static LockReply testLock(View view, Query.TestHostLock q) {
        return testLock(view, HostTable.numberOf(view, q.host()), q.ino(), q.wanted());
    }

    private static LockReply testLock(View view, long asking, long ino, Lock lock) {
        Lock wanted = LockTable.normal(lock);
        InodeQueries.require(view, ino);
        LockOwner asker = new LockOwner(asking, wanted.owner());
        byte[] prefix = Keys.heldPrefix(ino, wanted.kind());
        List<Lock> conflicts = new ArrayList<>();
        view.scan(
                Family.LOCK,
                prefix,
                prefix,
                (key, value) -> {
                    LockOwner holder =
                            new LockOwner(Keys.numberAt(key, 10), Keys.numberAt(key, 18));
                    LockRange range = LockRanges.decode(value).conflict(wanted);
                    if (range != null && !holder.equals(asker)) {
                        conflicts.add(range.toLock(wanted.kind(), holder.owner()));
                    }
                    return conflicts.isEmpty();
                });
        return conflicts.isEmpty()
                ? new LockReply(LockOutcome.GRANTED, null)
                : new LockReply(LockOutcome.CONFLICT, conflicts.getFirst());
    }

    public static Reply.HostsReply listHosts(View view, Query.ListHosts q) {
        List<HostRecord> hosts = new ArrayList<>();
        byte[] after = Keys.host(q.after());
        int max = Math.clamp(q.maxHosts(), 1, MAX_HOSTS_PAGE);
        view.scan(
                Family.HOST,
                ALL,
                after,
                (key, value) ->
                        Arrays.equals(key, after)
                                || (hosts.size() < max
                                        && hosts.add(HostTable.Stored.decode(value).host())));
        byte[] state = view.get(Family.META, Keys.notifyState());
        return new Reply.HostsReply(
                state == null ? 0 : HostTable.stateOf(state), hosts, hosts.size() < max);
    }

    /** Locks that a holder has or waits for; reads all locks there are. */
    public static List<LockRecord> locks(View view, long holder, int max) {
        List<LockRecord> locks = new ArrayList<>();
        view.scan(
                Family.LOCK,
                ALL,
                ALL,
                (key, value) -> {
                    long ino = Keys.numberAt(key, 0);
                    if (!Keys.isHeld(key)) {
                        Decoder in = Keys.open(Family.LOCK, value);
                        if (in.i64() == holder) {
                            in.i64();
                            locks.add(new LockRecord(ino, Codecs.lock(in), true));
                        }
                    } else if (Keys.numberAt(key, 10) == holder) {
                        Lock.Kind kind = Keys.heldKind(key);
                        long owner = Keys.numberAt(key, 18);
                        for (LockRange range : LockRanges.decode(value).list()) {
                            locks.add(new LockRecord(ino, range.toLock(kind, owner), false));
                        }
                    }
                    return locks.size() < max;
                });
        return locks;
    }
}
