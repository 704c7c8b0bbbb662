package io.cairn.metadata.lock;

import io.cairn.fs.HostRecord;
import io.cairn.fs.Lock;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.LockOwner;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.View;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Checks locks: their holders and inodes are there, and no two exclude each other. */
public final class LockCheck {
    private final View view;
    private final Set<Long> sessions;
    private final Consumer<String> violated;
    private final Map<Long, CountedHost> hosts = new TreeMap<>();
    private InodeLocks locks = new InodeLocks();
    private long lockedIno;

    /**
     * A check.
     *
     * @param sessions the sessions that are open
     */
    public LockCheck(View view, Set<Long> sessions, Consumer<String> violated) {
        this.view = view;
        this.sessions = new HashSet<>(sessions);
        this.violated = violated;
    }

    public void check() {
        view.each(Family.HOST, this::loadHost);
        view.each(Family.LOCK, this::checkLock);
        hosts.values().forEach(this::checkHost);
    }

    /** A machine as its record says, and what was counted of its locks. */
    private record CountedHost(HostTable.Stored stored, int[] counts) {}

    private void loadHost(byte[] key, byte[] value) {
        HostTable.Stored stored = HostTable.Stored.decode(value);
        if (!Arrays.equals(key, Keys.host(stored.host().contact().host()))) {
            violated.accept("hosts: " + stored + " has the key of another");
        }
        hosts.put(stored.number(), new CountedHost(stored, new int[2]));
        sessions.add(stored.number());
    }

    private void count(long holder, int which) {
        CountedHost host = hosts.get(holder);
        if (host != null) {
            host.counts[which]++;
        }
    }

    private void checkHost(CountedHost host) {
        HostRecord told = host.stored.host();
        if (told.held() != host.counts[0] || told.waiting() != host.counts[1]) {
            violated.accept("hosts: " + told + " has " + Arrays.toString(host.counts));
        }
        if (told.held() + told.waiting() == 0) {
            violated.accept("hosts: " + told + " has no locks");
        }
    }

    private void checkLock(byte[] key, byte[] value) {
        long ino = Keys.numberAt(key, 0);
        if (ino != lockedIno) {
            lockedIno = ino;
            locks = new InodeLocks();
        }
        if (view.inode(ino) == null) {
            violated.accept("locks: inode " + ino + " does not exist");
        }
        if (!Keys.isHeld(key)) {
            long session = Keys.open(Family.LOCK, value).i64();
            requireSession(ino, session);
            count(session, 1);
            return;
        }
        Lock.Kind kind = Keys.heldKind(key);
        LockOwner owner = new LockOwner(Keys.numberAt(key, 10), Keys.numberAt(key, 18));
        requireSession(ino, owner.session());
        count(owner.session(), 0);
        LockRanges ranges = LockRanges.decode(value);
        long end = -1;
        for (LockRange range : ranges.list()) {
            if (range.startByte() <= end || range.endByte() < range.startByte()) {
                violated.accept("locks: inode " + ino + ": " + owner + " holds " + ranges);
            }
            end = range.endByte();
            if (locks.conflict(owner, range.toLock(kind, owner.owner())) != null) {
                violated.accept("locks: inode " + ino + ": two hold " + range);
            }
        }
        locks.setRanges(kind, owner, ranges);
    }

    private void requireSession(long ino, long session) {
        if (!sessions.contains(session)) {
            violated.accept("locks: inode " + ino + ": session " + session + " is not open");
        }
    }
}
