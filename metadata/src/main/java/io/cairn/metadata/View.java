package io.cairn.metadata;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.fs.Acl;
import io.cairn.fs.Acls;
import io.cairn.fs.Attributes;
import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.HostRecord;
import io.cairn.fs.Lock;
import io.cairn.fs.Name;
import io.cairn.metadata.cluster.AdminRecord;
import io.cairn.metadata.content.DoubtfulObjects;
import io.cairn.metadata.content.ObjectLedger;
import io.cairn.metadata.inode.DirectoryTable.Dentry;
import io.cairn.metadata.inode.InodeTable;
import io.cairn.metadata.inode.XattrTable;
import io.cairn.metadata.job.JobError;
import io.cairn.metadata.job.JobStack;
import io.cairn.metadata.job.TreeWalk;
import io.cairn.metadata.lock.HostTable;
import io.cairn.metadata.lock.LockRange;
import io.cairn.metadata.lock.LockRanges;
import io.cairn.metadata.lock.LockRecord;
import io.cairn.metadata.lock.LockTable;
import io.cairn.metadata.session.SessionRecord;
import io.cairn.metadata.state.InodeCache;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.LockOwner;
import io.cairn.metadata.state.Store;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Transaction;
import io.cairn.wire.Codecs;
import io.cairn.wire.Decoder;
import io.cairn.wire.Limits;
import io.cairn.wire.master.ClusterRequest.GarbageTask;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.Reply.BytesReply;
import io.cairn.wire.master.Reply.DirectoryReply;
import io.cairn.wire.master.Reply.EntryReply;
import io.cairn.wire.master.Reply.LockOutcome;
import io.cairn.wire.master.Reply.LockReply;
import io.cairn.wire.master.Reply.NamesReply;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The committed state, for readers. Stateless: any thread may use it while it holds the read lock
 * of the {@link Namespace}, so that no commit runs meanwhile.
 */
final class View {
    /** A directory page ends before it exceeds this, so that it fits into a frame. */
    static final int MAX_PAGE_BYTES = Limits.MAX_HEADER_BYTES / 2;

    private static final byte[] ALL = {};
    private static final int MAX_HOSTS_PAGE = 1000;
    private static final int ENTRY_BYTES = 32;
    private static final int ATTRIBUTES_BYTES = 104;
    private static final int ACL_ENTRY_BYTES = 6;

    private final Store store;
    private final InodeCache cache;

    View(Store store, InodeCache cache) {
        this.store = store;
        this.cache = cache;
    }

    @Nullable Inode inode(long ino) {
        Inode inode = cache.get(ino);
        if (inode == null) {
            byte[] value = store.get(Family.INODE, Keys.of(ino));
            if (value != null) {
                inode = Transaction.decodeInode(value);
                cache.put(inode);
            }
        }
        return inode;
    }

    private Inode require(long ino) {
        Inode inode = inode(ino);
        if (inode == null) {
            throw InodeTable.stale(ino);
        }
        return inode;
    }

    EntryReply entry(long ino) {
        return new EntryReply(require(ino), null, null, null);
    }

    /** The inode, unless the object at its end is in doubt. */
    EntryReply checkTail(long ino, long firstSureOid) {
        EntryReply entry = entry(ino);
        Inode inode = entry.inode();
        Layout layout = inode.layout();
        if (layout != null && layout.oidAtEnd(inode.attributes().size()) < firstSureOid) {
            throw new FsException(Errno.ESTALE, "the tail of inode " + ino + " has to be renewed");
        }
        return entry;
    }

    Reply lookup(Query.Lookup q) {
        Inode parent = InodeTable.liveDirectory(require(q.parentIno()));
        byte[] value = store.get(Family.DENTRY, Keys.dentry(q.parentIno(), q.name()));
        if (value == null) {
            return new Reply.Absent(parent.directoryState());
        }
        Inode inode = require(Dentry.decode(value).ino());
        return new EntryReply(inode, parent.directoryState(), null, null);
    }

    /** Those of the names that exist, in the order asked for, until a page is full. */
    DirectoryReply lookupMany(Query.LookupMany q) {
        Inode parent = InodeTable.liveDirectory(require(q.parentIno()));
        if (q.names().size() > Limits.MAX_PAGE_ENTRIES) {
            throw new FsException(Errno.EINVAL, q.names().size() + " names at once");
        }
        Page page = new Page(q.names().size(), true);
        for (Name name : q.names()) {
            byte[] value = store.get(Family.DENTRY, Keys.dentry(q.parentIno(), name));
            if (page.bytes > MAX_PAGE_BYTES) {
                break;
            }
            if (value != null) {
                page.add(name, name.cookie(), value);
            }
        }
        return new DirectoryReply(parent.directoryState(), page.entries, false);
    }

    /** A page, in the order of the cookies. It never ends between entries of one cookie. */
    DirectoryReply readDirectory(Query.ReadDirectory q) {
        Inode directory = require(q.ino());
        if (!directory.attributes().isDirectory()) {
            throw new FsException(Errno.ENOTDIR, "inode " + q.ino() + " is not a directory");
        }
        if (q.cookie() < 0) {
            throw new FsException(Errno.EINVAL, "cookie " + q.cookie());
        }
        if (q.cookie() == Long.MAX_VALUE) {
            return new DirectoryReply(directory.directoryState(), List.of(), true);
        }
        Page page = new Page(q.maxEntries(), q.withAttributes());
        store.scan(Family.DENTRY, Keys.of(q.ino()), Keys.of(q.ino(), q.cookie() + 1), page::accept);
        return new DirectoryReply(directory.directoryState(), page.entries, !page.isFull);
    }

    /** A directory page while it grows. */
    private final class Page {
        private final List<DirectoryEntry> entries = new ArrayList<>();
        private final boolean withAttributes;
        private final int maxEntries;
        private int bytes;
        private long lastCookie = -1;
        private boolean isFull;

        Page(int maxEntries, boolean withAttributes) {
            this.withAttributes = withAttributes;
            this.maxEntries = Math.clamp(maxEntries, 1, Limits.MAX_PAGE_ENTRIES);
        }

        boolean accept(byte[] key, byte[] value) {
            return add(Keys.nameOf(key), Keys.numberAt(key, 8), value);
        }

        boolean add(Name name, long cookie, byte[] value) {
            if (cookie != lastCookie && (entries.size() >= maxEntries || bytes > MAX_PAGE_BYTES)) {
                isFull = true;
                return false;
            }
            lastCookie = cookie;
            Dentry dentry = Dentry.decode(value);
            Attributes attributes = withAttributes ? require(dentry.ino()).attributes() : null;
            entries.add(new DirectoryEntry(name, cookie, dentry.ino(), dentry.type(), attributes));
            bytes += ENTRY_BYTES + name.length() + (attributes == null ? 0 : bytesOf(attributes));
            return true;
        }
    }

    private static int bytesOf(Attributes attributes) {
        Acls acls = attributes.acls();
        return ATTRIBUTES_BYTES
                + ACL_ENTRY_BYTES * (entries(acls.access()) + entries(acls.inherited()));
    }

    private static int entries(@Nullable Acl acl) {
        return acl == null ? 0 : acl.entries().size();
    }

    BytesReply getXattr(Query.GetXattr q) {
        require(q.ino());
        XattrTable.requireName(q.name());
        byte[] value = store.get(Family.XATTR, Keys.xattr(q.ino(), q.name()));
        if (value == null) {
            throw XattrTable.missing(q.ino());
        }
        return new BytesReply(XattrTable.valueOf(value));
    }

    NamesReply listXattr(Query.ListXattr q) {
        require(q.ino());
        List<byte[]> names = new ArrayList<>();
        byte[] head = Keys.of(q.ino());
        store.scan(
                Family.XATTR,
                head,
                head,
                (key, value) -> key.length == head.length || names.add(Keys.xattrNameOf(key)));
        return new NamesReply(names);
    }

    /** The session that has the APPEND token of a file; 0 when none has. */
    long appender(long ino) {
        byte[] prefix = Keys.heldPrefix(ino, Lock.Kind.APPEND);
        long[] session = {0};
        store.scan(
                Family.LOCK,
                prefix,
                prefix,
                (key, value) -> {
                    session[0] = Keys.numberAt(key, 10);
                    return false;
                });
        return session[0];
    }

    LockReply testLock(long session, Query.TestLock q) {
        return testLock(session, q.ino(), q.wanted());
    }

    LockReply testLock(Query.TestHostLock q) {
        return testLock(HostTable.numberOf(store, q.host()), q.ino(), q.wanted());
    }

    private LockReply testLock(long asking, long ino, Lock lock) {
        Lock wanted = LockTable.normal(lock);
        require(ino);
        LockOwner asker = new LockOwner(asking, wanted.owner());
        byte[] prefix = Keys.heldPrefix(ino, wanted.kind());
        List<Lock> conflicts = new ArrayList<>();
        store.scan(
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

    Reply.HostsReply listHosts(Query.ListHosts q) {
        List<HostRecord> hosts = new ArrayList<>();
        byte[] after = Keys.host(q.after());
        int max = Math.clamp(q.maxHosts(), 1, MAX_HOSTS_PAGE);
        store.scan(
                Family.HOST,
                ALL,
                after,
                (key, value) ->
                        Arrays.equals(key, after)
                                || (hosts.size() < max
                                        && hosts.add(HostTable.Stored.decode(value).host())));
        byte[] state = store.get(Family.META, Keys.notifyState());
        return new Reply.HostsReply(
                state == null ? 0 : HostTable.stateOf(state), hosts, hosts.size() < max);
    }

    /** The key of the dentry at the home of an inode; ESTALE, ENOENT when it has no name. */
    byte[] dentryOf(long ino) {
        Inode inode = require(ino);
        byte[][] found = new byte[1][];
        byte[] prefix = Keys.of(inode.parentIno(), inode.nameCookie());
        if (inode.attributes().nlink() > 0) {
            store.scan(
                    Family.DENTRY,
                    prefix,
                    prefix,
                    (key, value) -> {
                        found[0] = Dentry.decode(value).ino() == ino ? key : null;
                        return found[0] == null;
                    });
        }
        if (found[0] == null) {
            throw new FsException(Errno.ENOENT, "inode " + ino + " has no name");
        }
        return found[0];
    }

    List<JobError> jobErrors(long job) {
        List<JobError> errors = new ArrayList<>();
        byte[] prefix = Keys.jobErrors(job);
        store.scan(Family.JOB, prefix, prefix, (key, value) -> errors.add(JobError.decode(value)));
        return errors;
    }

    byte[] jobPath(long job, byte[] root) {
        List<Name> names = new ArrayList<>();
        byte[] prefix = Keys.jobFrames(job);
        store.scan(
                Family.JOB,
                prefix,
                prefix,
                (key, value) -> {
                    Name name = JobStack.Frame.decode(value).name;
                    return name == null || names.add(name);
                });
        return JobError.join(root, names, TreeWalk.MAX_PATH_BYTES);
    }

    List<SessionRecord> sessions() {
        List<SessionRecord> sessions = new ArrayList<>();
        store.scan(
                Family.SESSION,
                ALL,
                ALL,
                (key, value) -> {
                    SessionRecord.Stored stored = SessionRecord.Stored.decode(key, value);
                    return sessions.add(
                            new SessionRecord(
                                    stored.session(), stored.client(), stored.openedNs()));
                });
        return sessions;
    }

    List<AdminRecord> records(String prefix, String after, int max) {
        List<AdminRecord> records = new ArrayList<>();
        byte[] from = Keys.record(after.compareTo(prefix) > 0 ? after : prefix);
        boolean skip = after.compareTo(prefix) >= 0 && !after.isEmpty();
        store.scan(
                Family.META,
                Keys.record(prefix),
                from,
                (key, value) -> {
                    if (skip && Arrays.equals(key, from)) {
                        return true;
                    }
                    return records.size() < max && records.add(AdminRecord.decode(key, value));
                });
        return records;
    }

    /** Locks that a holder has or waits for; reads all locks there are. */
    List<LockRecord> locks(long holder, int max) {
        List<LockRecord> locks = new ArrayList<>();
        store.scan(
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

    List<Long> leavings(long beforeNs, int max) {
        List<Long> inos = new ArrayList<>();
        byte[] prefix = Keys.leavings();
        store.scan(
                Family.META,
                prefix,
                prefix,
                (key, value) -> {
                    if (key.length > prefix.length && DoubtfulObjects.sinceNs(value) < beforeNs) {
                        inos.add(Keys.numberAt(key, prefix.length));
                    }
                    return inos.size() < max;
                });
        return inos;
    }

    List<GarbageTask> garbage(long afterEntryId, int max) {
        List<GarbageTask> tasks = new ArrayList<>();
        store.scan(
                Family.GC,
                ALL,
                Keys.of(afterEntryId + 1),
                (key, value) -> tasks.size() < max && tasks.add(ObjectLedger.decode(key, value)));
        return tasks;
    }

    byte[] fingerprint() {
        MessageDigest digest;
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
        ByteBuffer lengths = ByteBuffer.allocate(8);
        for (Family family : Family.values()) {
            digest.update(family.name().getBytes(StandardCharsets.US_ASCII));
            store.scan(
                    family,
                    ALL,
                    ALL,
                    (key, value) -> {
                        if (family != Family.META || !Arrays.equals(key, Keys.position())) {
                            lengths.clear();
                            digest.update(lengths.putInt(key.length).putInt(value.length).flip());
                            digest.update(key);
                            digest.update(value);
                        }
                        return true;
                    });
        }
        return digest.digest();
    }
}
