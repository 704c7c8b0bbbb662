package io.cairn.metadata.lock;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.FileType;
import io.cairn.fs.Lock;
import io.cairn.metadata.inode.InodeTable;
import io.cairn.metadata.lock.InodeLocks.Conflict;
import io.cairn.metadata.lock.InodeLocks.Waiter;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.LockOwner;
import io.cairn.metadata.state.Store;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Transaction;
import io.cairn.wire.Codecs;
import io.cairn.wire.Decoder;
import io.cairn.wire.master.HostMutation;
import io.cairn.wire.master.Push;
import io.cairn.wire.master.Reply.LockOutcome;
import io.cairn.wire.master.Reply.LockReply;
import io.cairn.wire.master.SessionMutation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The locks of all sessions, and of machines behind gateways ({@link HostTable}): in memory for
 * speed, every change also in the {@code LOCK} family. Belongs to the apply thread; readers look
 * into the store.
 *
 * <ul>
 *   <li>The kinds do not know of each other. POSIX locks are ranges, set and unset per owner;
 *       FLOCK, APPEND and SHARE cover the file, APPEND is always exclusive.
 *   <li>A request is granted when no other owner <em>holds</em> a conflicting lock. Waiting
 *       requests are tried in the order in which they came whenever a lock is released or weakened.
 *       A later one may pass an earlier one that is still blocked, as in Linux. So waiting blocks
 *       no other request, and the wait-for graph has edges to holders only.
 *   <li>A POSIX request that would wait for itself, over whatever chain, is refused (DEADLOCK).
 *   <li>A FLOCK request that waits has given up what its owner held, as in Linux; otherwise two
 *       owners that want to turn SHARED into EXCLUSIVE would wait for ever.
 *   <li>A request that waits for an APPEND lock makes its holder hear a recall: at once, again with
 *       each repetition of the request, and when the lock passes to one of several that wait.
 *   <li>A request is known by its id: repeating one that waits or was granted from the queue
 *       changes nothing. A client must have heard the answers to all repetitions before it unlocks.
 * </ul>
 */
public final class LockTable {
    /**
     * Ranges that one owner may hold on one inode; waiters of one inode; its owners of a kind
     * before another one of a machine is refused.
     */
    public static final int MAX_PER_INODE = 4096;

    /** Inodes on which one session or machine may hold or await locks. */
    static final int MAX_INODES_PER_SESSION = 1 << 16;

    private final Transaction transaction;
    private final InodeTable inodes;
    private final HostTable hosts;
    private final Map<Long, InodeLocks> byInode = new TreeMap<>();
    private final Map<Long, Set<Long>> inodesBySession = new TreeMap<>();
    private final WaitGraph waits = new WaitGraph(byInode);

    /** Reads the locks from the store. */
    public LockTable(Store store, Transaction transaction, InodeTable inodes, HostTable hosts) {
        this.transaction = transaction;
        this.inodes = inodes;
        this.hosts = hosts;
        byte[] all = {};
        store.scan(
                Family.LOCK,
                all,
                all,
                (key, value) -> {
                    load(key, value);
                    return true;
                });
    }

    private void load(byte[] key, byte[] value) {
        long ino = Keys.numberAt(key, 0);
        if (Keys.isHeld(key)) {
            Lock.Kind kind = Keys.heldKind(key);
            LockOwner owner = new LockOwner(Keys.numberAt(key, 10), Keys.numberAt(key, 18));
            locks(ino).setRanges(kind, owner, LockRanges.decode(value));
            inodesOf(owner.session()).add(ino);
        } else {
            Waiter waiter = decodeWaiter(ino, Keys.numberAt(key, 9), value);
            locks(ino).add(waiter);
            waits.add(waiter);
            inodesOf(waiter.owner().session()).add(ino);
            inodesOf(waiter.asker()).add(ino);
        }
    }

    private static Waiter decodeWaiter(long ino, long ticket, byte[] value) {
        Decoder in = Keys.open(Family.LOCK, value);
        long session = in.i64();
        long requestId = in.i64();
        Lock lock = Codecs.lock(in);
        long asker = in.remaining() > 0 ? in.i64() : session;
        LockOwner owner = new LockOwner(session, lock.owner());
        return new Waiter(ino, ticket, owner, requestId, lock, asker);
    }

    private static byte[] encodeWaiter(Waiter waiter) {
        var out = Keys.value(64).i64(waiter.owner().session()).i64(waiter.requestId());
        Codecs.lock(out, waiter.lock());
        return out.i64(waiter.asker()).toBytes();
    }

    /**
     * A lock as the rules of its kind want it: whole-file kinds cover the file.
     *
     * @throws FsException EINVAL for an impossible one
     */
    public static Lock normal(Lock lock) {
        if (lock.kind() == Lock.Kind.POSIX) {
            if (lock.startByte() < 0 || lock.endByte() < lock.startByte()) {
                throw new FsException(
                        Errno.EINVAL, "lock of " + lock.startByte() + ".." + lock.endByte());
            }
            return lock;
        }
        if (lock.kind() == Lock.Kind.APPEND && lock.mode() == Lock.Mode.SHARED) {
            throw new FsException(Errno.EINVAL, "an APPEND lock is exclusive");
        }
        Lock.Mode mode = lock.mode();
        if (lock.kind() == Lock.Kind.SHARE && mode != Lock.Mode.UNLOCK) {
            mode = Lock.Mode.SHARED;
            if (lock.pid() < 0 || lock.pid() > 15) {
                throw new FsException(Errno.EINVAL, "a share reservation of " + lock.pid());
            }
        }
        return new Lock(lock.kind(), mode, lock.owner(), 0, Lock.TO_END, lock.pid());
    }

    /**
     * A request.
     *
     * @param asker the session that asks
     */
    private record Request(
            long asker, LockOwner owner, long ino, Lock lock, boolean queue, long requestId) {}

    /** A request of a session for itself. */
    public LockReply set(long session, SessionMutation.SetLock m) {
        Lock lock = normal(m.lock());
        LockOwner owner = new LockOwner(session, lock.owner());
        long requestId = m.queue() ? m.requestId() : 0;
        return set(new Request(session, owner, m.ino(), lock, m.queue(), requestId));
    }

    /** A request of a session for a machine. */
    public LockReply set(long session, long host, HostMutation.SetHostLock m) {
        Lock lock = normal(m.lock());
        if (lock.kind() != Lock.Kind.POSIX && lock.kind() != Lock.Kind.SHARE) {
            throw new FsException(Errno.EINVAL, "a machine has no locks of kind " + lock.kind());
        }
        LockOwner owner = new LockOwner(host, lock.owner());
        long requestId = m.queue() ? m.requestId() : 0;
        return set(new Request(session, owner, m.ino(), lock, m.queue(), requestId));
    }

    private LockReply set(Request m) {
        Lock lock = m.lock;
        FileType type = inodes.require(m.ino()).attributes().type();
        if (lock.kind() == Lock.Kind.APPEND && type != FileType.FILE) {
            throw new FsException(Errno.EINVAL, "inode " + m.ino() + " is not a regular file");
        }
        if (lock.mode() == Lock.Mode.UNLOCK) {
            return unlock(m.ino(), m.owner, lock);
        }
        InodeLocks locks = locks(m.ino());
        try {
            LockReply known = known(locks, m);
            return known != null ? known : request(m, locks);
        } finally {
            tidy(m.ino(), m.owner.session());
            tidy(m.ino(), m.asker);
        }
    }

    private LockReply unlock(long ino, LockOwner owner, Lock lock) {
        InodeLocks locks = byInode.get(ino);
        if (locks != null) {
            LockRanges ranges = locks.ranges(lock.kind(), owner);
            if (!ranges.isEmpty()) {
                LockRanges rest = ranges.with(lock, 0);
                requireRoom(rest);
                store(ino, locks, lock.kind(), owner, rest);
                grantWaiters(ino, locks);
            }
            tidy(ino, owner.session());
        }
        return granted(ino);
    }

    /** The answer to a repeated request, or null when it is new. */
    private @Nullable LockReply known(InodeLocks locks, Request m) {
        if (m.requestId == 0) {
            return null;
        }
        if (locks.ranges(m.lock.kind(), m.owner).wasSetBy(m.requestId)) {
            return granted(m.ino);
        }
        Waiter waiter = locks.waiter(m.owner.session(), m.requestId);
        if (waiter == null) {
            return null;
        }
        Conflict conflict = locks.conflict(waiter.owner(), waiter.lock());
        recall(waiter.ino(), conflict);
        return new LockReply(LockOutcome.QUEUED, conflict == null ? null : conflict.lock());
    }

    private LockReply request(Request m, InodeLocks locks) {
        LockOwner owner = m.owner;
        Lock lock = m.lock;
        Conflict conflict = locks.conflict(owner, lock);
        if (conflict == null) {
            LockRanges ranges = locks.ranges(lock.kind(), owner).with(lock, m.requestId);
            requireRoom(ranges);
            requireRoomFor(owner.session(), m.ino());
            requireRoomFor(owner, locks.holders(lock.kind()));
            store(m.ino(), locks, lock.kind(), owner, ranges);
            grantWaiters(m.ino(), locks);
            return granted(m.ino());
        }
        if (!m.queue()) {
            return new LockReply(LockOutcome.CONFLICT, conflict.lock());
        }
        if (lock.kind() == Lock.Kind.POSIX && waits.wouldDeadlock(m.ino(), owner, lock)) {
            return new LockReply(LockOutcome.DEADLOCK, conflict.lock());
        }
        requireRoomFor(owner.session(), m.ino());
        if (locks.waiters().size() >= MAX_PER_INODE) {
            throw new FsException(
                    Errno.ENOLCK, MAX_PER_INODE + " requests wait for inode " + m.ino());
        }
        long ticket = transaction.counters().takeTicket();
        enqueue(new Waiter(m.ino(), ticket, owner, m.requestId, lock, m.asker));
        recall(m.ino(), conflict);
        return new LockReply(LockOutcome.QUEUED, conflict.lock());
    }

    private void enqueue(Waiter waiter) {
        long ino = waiter.ino();
        InodeLocks locks = locks(ino);
        locks.add(waiter);
        waits.add(waiter);
        inodesOf(waiter.owner().session()).add(ino);
        inodesOf(waiter.asker()).add(ino);
        hosts.countWaiting(waiter.owner().session(), 1);
        transaction
                .records()
                .put(Family.LOCK, Keys.waiting(ino, waiter.ticket()), encodeWaiter(waiter));
        Lock.Kind kind = waiter.lock().kind();
        if (kind == Lock.Kind.FLOCK && !locks.ranges(kind, waiter.owner()).isEmpty()) {
            store(ino, locks, kind, waiter.owner(), LockRanges.NONE);
            grantWaiters(ino, locks);
        }
    }

    private void dequeue(InodeLocks locks, Waiter waiter) {
        locks.remove(waiter);
        waits.remove(waiter);
        hosts.countWaiting(waiter.owner().session(), -1);
        transaction.records().delete(Family.LOCK, Keys.waiting(waiter.ino(), waiter.ticket()));
    }

    /** Tells the holder of an APPEND lock that somebody waits for it. */
    private void recall(long ino, @Nullable Conflict conflict) {
        if (conflict != null && conflict.lock().kind() == Lock.Kind.APPEND) {
            LockOwner holder = conflict.owner();
            transaction.notify(
                    holder.session(), new Push.RecallLock(ino, Lock.Kind.APPEND, holder.owner()));
        }
    }

    /** Grants what can be granted, in order of arrival, until nothing more can. */
    private void grantWaiters(long ino, InodeLocks locks) {
        boolean progress = true;
        while (progress) {
            progress = false;
            for (Waiter waiter : List.copyOf(locks.waiters())) {
                if (locks.conflict(waiter.owner(), waiter.lock()) == null) {
                    grant(ino, locks, waiter);
                    progress = true;
                }
            }
        }
    }

    private void grant(long ino, InodeLocks locks, Waiter waiter) {
        dequeue(locks, waiter);
        Lock lock = waiter.lock();
        LockRanges ranges = locks.ranges(lock.kind(), waiter.owner());
        store(ino, locks, lock.kind(), waiter.owner(), ranges.with(lock, waiter.requestId()));
        transaction.notify(waiter.asker(), new Push.LockGranted(ino, waiter.requestId()));
        tidy(ino, waiter.asker());
        boolean isWanted =
                locks.waiters().stream().anyMatch(w -> w.lock().kind() == Lock.Kind.APPEND);
        if (lock.kind() == Lock.Kind.APPEND && isWanted) {
            recall(ino, new Conflict(waiter.owner(), lock));
        }
    }

    /** Takes a request back, whether it waits or was granted. */
    public void cancel(long session, SessionMutation.CancelLock m) {
        cancel(session, m.ino(), m.requestId());
    }

    /** Takes a request of a session or machine back, whether it waits or was granted. */
    public void cancel(long holder, long ino, long requestId) {
        InodeLocks locks = byInode.get(ino);
        if (locks == null || requestId == 0) {
            return;
        }
        Waiter waiter = locks.waiter(holder, requestId);
        if (waiter != null) {
            dequeue(locks, waiter);
        }
        for (Lock.Kind kind : Lock.Kind.values()) {
            for (var held : new ArrayList<>(locks.holdersOf(kind, holder).entrySet())) {
                if (held.getValue().wasSetBy(requestId)) {
                    LockRanges rest = held.getValue().without(requestId);
                    store(ino, locks, kind, held.getKey(), rest);
                }
            }
        }
        grantWaiters(ino, locks);
        tidy(ino, holder);
        if (waiter != null) {
            tidy(ino, waiter.asker());
        }
    }

    /** Releases all that an owner holds of one kind; what it awaits stays. */
    public void release(long session, SessionMutation.ReleaseLocks m) {
        LockOwner owner = new LockOwner(session, m.owner());
        InodeLocks locks = byInode.get(m.ino());
        if (locks == null || locks.ranges(m.kind(), owner).isEmpty()) {
            return;
        }
        store(m.ino(), locks, m.kind(), owner, LockRanges.NONE);
        grantWaiters(m.ino(), locks);
        tidy(m.ino(), session);
    }

    /**
     * Releases and takes back everything of a session or machine, also what a session awaits for
     * machines; what these hold stays.
     */
    public void endHolder(long holder) {
        for (long ino : List.copyOf(inodesOf(holder))) {
            InodeLocks locks = locks(ino);
            Set<Long> involved = new TreeSet<>(List.of(holder));
            for (Waiter waiter : List.copyOf(locks.waiters())) {
                if (waiter.involves(holder)) {
                    dequeue(locks, waiter);
                    involved.add(waiter.owner().session());
                    involved.add(waiter.asker());
                }
            }
            for (Lock.Kind kind : Lock.Kind.values()) {
                for (LockOwner owner : List.copyOf(locks.holdersOf(kind, holder).keySet())) {
                    store(ino, locks, kind, owner, LockRanges.NONE);
                }
            }
            grantWaiters(ino, locks);
            involved.forEach(each -> tidy(ino, each));
        }
        inodesBySession.remove(holder);
        hosts.end(holder);
    }

    /** Forgets all locks of an inode that is purged. */
    public void drop(long ino) {
        InodeLocks locks = byInode.get(ino);
        if (locks == null) {
            return;
        }
        Set<Long> sessions = new TreeSet<>();
        for (Waiter waiter : List.copyOf(locks.waiters())) {
            sessions.add(waiter.owner().session());
            sessions.add(waiter.asker());
            dequeue(locks, waiter);
        }
        for (Lock.Kind kind : Lock.Kind.values()) {
            for (LockOwner owner : List.copyOf(locks.holders(kind).keySet())) {
                sessions.add(owner.session());
                store(ino, locks, kind, owner, LockRanges.NONE);
            }
        }
        sessions.forEach(session -> tidy(ino, session));
    }

    private void store(
            long ino, InodeLocks locks, Lock.Kind kind, LockOwner owner, LockRanges ranges) {
        int before = locks.ranges(kind, owner).isEmpty() ? 0 : 1;
        locks.setRanges(kind, owner, ranges);
        hosts.countHeld(owner.session(), (ranges.isEmpty() ? 0 : 1) - before);
        byte[] key = Keys.held(ino, kind, owner);
        if (ranges.isEmpty()) {
            transaction.records().delete(Family.LOCK, key);
        } else {
            transaction.records().put(Family.LOCK, key, ranges.encode());
            inodesOf(owner.session()).add(ino);
        }
    }

    /** Forgets what has become empty. */
    private void tidy(long ino, long session) {
        InodeLocks locks = byInode.get(ino);
        if (locks != null && locks.isEmpty()) {
            byInode.remove(ino);
            locks = null;
        }
        if (locks == null || !locks.involves(session)) {
            Set<Long> of = inodesOf(session);
            of.remove(ino);
            if (of.isEmpty()) {
                inodesBySession.remove(session);
                hosts.end(session);
            }
        }
    }

    private static void requireRoom(LockRanges ranges) {
        if (ranges.list().size() > MAX_PER_INODE) {
            throw new FsException(
                    Errno.ENOLCK, "an owner holds " + MAX_PER_INODE + " ranges of one inode");
        }
    }

    private void requireRoomFor(long session, long ino) {
        hosts.requireRoom(session);
        Set<Long> of = inodesOf(session);
        if (of.size() >= MAX_INODES_PER_SESSION && !of.contains(ino)) {
            throw new FsException(
                    Errno.ENOLCK,
                    "session " + session + " has locks on " + MAX_INODES_PER_SESSION + " inodes");
        }
    }

    /** Machines have more owners than any mount has processes. */
    private static void requireRoomFor(LockOwner owner, Map<LockOwner, LockRanges> holders) {
        if (HostTable.isHost(owner.session())
                && holders.size() >= MAX_PER_INODE
                && !holders.containsKey(owner)) {
            throw new FsException(Errno.ENOLCK, MAX_PER_INODE + " owners have locks on one inode");
        }
    }

    private InodeLocks locks(long ino) {
        return byInode.computeIfAbsent(ino, i -> new InodeLocks());
    }

    private Set<Long> inodesOf(long session) {
        return inodesBySession.computeIfAbsent(session, s -> new TreeSet<>());
    }

    private LockReply granted(long ino) {
        long version = inodes.require(ino).attributes().version();
        return new LockReply(LockOutcome.GRANTED, null, version);
    }
}
