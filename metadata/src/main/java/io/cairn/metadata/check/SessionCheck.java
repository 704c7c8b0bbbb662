package io.cairn.metadata.check;

import io.cairn.fs.HostRecord;
import io.cairn.fs.Lock;
import io.cairn.metadata.inode.XattrTable;
import io.cairn.metadata.lock.HostTable;
import io.cairn.metadata.lock.InodeLocks;
import io.cairn.metadata.lock.LockRange;
import io.cairn.metadata.lock.LockRanges;
import io.cairn.metadata.session.Session;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.LockOwner;
import io.cairn.metadata.state.Store;
import io.cairn.metadata.state.Store.Family;
import io.cairn.wire.Decoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Checks what belongs to sessions and to inodes besides the tree: replies (I3), locks, extended
 * attributes.
 */
final class SessionCheck {
    private static final byte[] ALL = {};

    private final Store store;
    private final Set<Long> inos;
    private final Consumer<String> violated;
    private final Set<Long> sessions = new HashSet<>();
    private final Map<Long, CountedHost> hosts = new TreeMap<>();
    private final XattrSums attributes = new XattrSums();
    private InodeLocks locks = new InodeLocks();
    private long lockedIno;
    private long repliesOf;
    private final List<Long> sequences = new ArrayList<>();
    private long ackedUpTo;

    /** The sums over the attributes of one inode, while they are read. */
    private static final class XattrSums {
        private long ino;
        private byte[] head = ALL;
        private int count;
        private final long[] sums = new long[2];
    }

    SessionCheck(Store store, Set<Long> inos, Consumer<String> violated) {
        this.store = store;
        this.inos = inos;
        this.violated = violated;
    }

    void check() {
        scan(Family.SESSION, (key, value) -> sessions.add(Keys.numberAt(key, 0)));
        scan(Family.HOST, this::loadHost);
        scan(Family.REPLY, this::checkReply);
        finishReplies();
        scan(Family.LOCK, this::checkLock);
        hosts.values().forEach(this::checkHost);
        scan(Family.XATTR, this::checkXattr);
        finishXattrs();
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

    private interface Entry {
        void accept(byte[] key, byte[] value);
    }

    private void scan(Family family, Entry entry) {
        store.scan(
                family,
                ALL,
                ALL,
                (key, value) -> {
                    entry.accept(key, value);
                    return true;
                });
    }

    private void checkReply(byte[] key, byte[] value) {
        long session = Keys.numberAt(key, 0);
        if (session != repliesOf) {
            finishReplies();
            repliesOf = session;
        }
        Decoder in = Keys.open(Family.REPLY, value);
        ackedUpTo = Math.max(ackedUpTo, in.i64());
        sequences.add(Keys.numberAt(key, 8));
        if (in.remaining() == 0) {
            violated.accept("I3 a reply of session " + session + " is empty");
        }
    }

    private void finishReplies() {
        if (!sequences.isEmpty() && !sessions.contains(repliesOf)) {
            violated.accept("I3 replies of session " + repliesOf + ", which is not open");
        }
        for (long sequence : sequences) {
            if (!Session.fits(sequence, ackedUpTo)) {
                violated.accept(
                        "I3 reply "
                                + sequence
                                + " of session "
                                + repliesOf
                                + ", acknowledged "
                                + ackedUpTo);
            }
        }
        sequences.clear();
        ackedUpTo = 0;
    }

    private void checkLock(byte[] key, byte[] value) {
        long ino = Keys.numberAt(key, 0);
        if (ino != lockedIno) {
            lockedIno = ino;
            locks = new InodeLocks();
        }
        if (!inos.contains(ino)) {
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

    private void checkXattr(byte[] key, byte[] value) {
        long ino = Keys.numberAt(key, 0);
        if (ino != attributes.ino) {
            finishXattrs();
            attributes.ino = ino;
        }
        if (key.length == Long.BYTES) {
            attributes.head = value;
        } else {
            attributes.count++;
            attributes.sums[0] += key.length - Long.BYTES + 1;
            attributes.sums[1] += XattrTable.valueOf(value).length;
        }
    }

    private void finishXattrs() {
        if (attributes.ino == 0) {
            return;
        }
        byte[] head = attributes.head.length == 0 ? null : attributes.head;
        String wrong = XattrTable.violation(head, attributes.count, attributes.sums);
        if (wrong != null) {
            violated.accept("I11 attributes of inode " + attributes.ino + ": " + wrong);
        }
        if (!inos.contains(attributes.ino)) {
            violated.accept("I11 attributes of inode " + attributes.ino + ", which is gone");
        }
        attributes.head = ALL;
        attributes.count = 0;
        attributes.sums[0] = 0;
        attributes.sums[1] = 0;
    }
}
