package io.cairn.metadata;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.DirectoryState;
import io.cairn.cluster.Inode;
import io.cairn.cluster.PastInode;
import io.cairn.fs.Acls;
import io.cairn.fs.Attributes;
import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.fs.TrashPlace;
import io.cairn.metadata.inode.InodeQueries;
import io.cairn.metadata.inode.InodeTable;
import io.cairn.metadata.snapshot.SnapshotRecord;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.View;
import io.cairn.metadata.tree.TreeQueries;
import io.cairn.wire.Decoder;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.Reply.DirectoryReply;
import io.cairn.wire.master.Reply.EntryReply;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * Queries about snapshots: whatever names an inode in one, and the virtual directories that list
 * them. Change nothing.
 */
final class PastQueries {
    private static final int LIST_MODE = 0555;

    /** Snapshots in a page: with names and attributes of any length they fit into a frame. */
    private static final int MAX_LISTED = 512;

    private final View view;
    private final Lock lock;

    /**
     * Queries of a view.
     *
     * @param lock held by callers; given up now and then during long scans of a snapshot, which
     *     stays as it is
     */
    PastQueries(View view, Lock lock) {
        this.view = view;
        this.lock = lock;
    }

    /** Whether a query is about a snapshot or a list of them. */
    static boolean concerns(Query.OfState query) {
        return switch (query) {
            case Query.Lookup m ->
                    PastInode.isPast(m.parentIno()) || m.name().equals(PastInode.DIRECTORY);
            case Query.GetInode m -> PastInode.isPast(m.ino());
            case Query.CheckTail m -> PastInode.isPast(m.ino());
            case Query.ReadDirectory m -> PastInode.isPast(m.ino());
            case Query.LookupMany m -> PastInode.isPast(m.parentIno());
            case Query.GetXattr m -> PastInode.isPast(m.ino());
            case Query.ListXattr m -> PastInode.isPast(m.ino());
            case Query.GetMap _,
                    Query.GetPath _,
                    Query.TestLock _,
                    Query.TestHostLock _,
                    Query.ListHosts _ ->
                    false;
        };
    }

    /**
     * The answer.
     *
     * @throws IllegalArgumentException when it is none of these
     */
    Reply answer(Query.OfState query) {
        return switch (query) {
            case Query.Lookup m -> lookup(m);
            case Query.GetInode m -> entry(m.ino());
            case Query.CheckTail m -> entry(m.ino());
            case Query.ReadDirectory m -> readDirectory(m);
            case Query.LookupMany m -> lookupMany(m);
            case Query.GetXattr m -> getXattr(m);
            case Query.ListXattr m -> listXattr(m);
            case Query.GetMap _,
                    Query.GetPath _,
                    Query.TestLock _,
                    Query.TestHostLock _,
                    Query.ListHosts _ ->
                    throw new IllegalArgumentException("a query about the present: " + query);
        };
    }

    private Reply lookup(Query.Lookup m) {
        long parentIno = m.parentIno();
        if (!PastInode.isPast(parentIno)) {
            return lookupList(parentIno);
        }
        if (PastInode.isList(parentIno)) {
            Inode list = list(parentIno);
            SnapshotRecord found = find(PastInode.livingOf(parentIno), m.name());
            return found == null
                    ? new Reply.Absent(list.directoryState())
                    : new EntryReply(root(found), list.directoryState(), null, null);
        }
        int snapshot = PastInode.snapshotOf(parentIno);
        if (TrashPlace.isItself(PastInode.livingOf(parentIno), m.name())) {
            return new Reply.Absent(require(parentIno).directoryState());
        }
        return switch (TreeQueries.lookup(
                at(parentIno), new Query.Lookup(PastInode.livingOf(parentIno), m.name()))) {
            case Reply.Absent absent -> new Reply.Absent(in(snapshot, absent.parent()));
            case EntryReply entry ->
                    new EntryReply(
                            PastInode.in(snapshot, entry.inode()),
                            in(snapshot, Objects.requireNonNull(entry.parent())),
                            null,
                            null);
            case Reply other -> other;
        };
    }

    private EntryReply lookupList(long directory) {
        Inode parent = InodeTable.liveDirectory(InodeQueries.require(view, directory));
        return new EntryReply(list(PastInode.list(directory)), parent.directoryState(), null, null);
    }

    static DirectoryState in(int snapshot, DirectoryState state) {
        return new DirectoryState(
                PastInode.in(snapshot, state.attributes()),
                state.nameChanges(),
                state.entryCount());
    }

    /** The state at the moment of the snapshot that a number names; ESTALE when it is dropped. */
    private View at(long ino) {
        int number = PastInode.snapshotOf(ino);
        return view.at(
                requireLive(number).moment(),
                () -> {
                    lock.unlock();
                    lock.lock();
                    requireLive(number);
                });
    }

    private SnapshotRecord requireLive(int number) {
        SnapshotRecord record = SnapshotRecord.live(view, number);
        if (record == null) {
            throw new FsException(Errno.ESTALE, "snapshot " + number + " was dropped");
        }
        return record;
    }

    private EntryReply entry(long ino) {
        return new EntryReply(require(ino), null, null, null);
    }

    private Inode require(long ino) {
        if (PastInode.isList(ino)) {
            return list(ino);
        }
        int number = PastInode.snapshotOf(ino);
        Inode inode = PastInode.in(number, InodeQueries.require(at(ino), PastInode.livingOf(ino)));
        SnapshotRecord record = SnapshotRecord.live(view, number);
        return record != null && record.root() == PastInode.livingOf(ino)
                ? PastInode.below(PastInode.list(record.root()), inode)
                : inode;
    }

    private Inode root(SnapshotRecord record) {
        return require(PastInode.of(record.number(), record.root()));
    }

    /** The virtual directory that lists the snapshots of a directory. */
    private Inode list(long ino) {
        long directory = PastInode.livingOf(ino);
        Inode living = InodeTable.liveDirectory(InodeQueries.require(view, directory));
        Attributes a = living.attributes();
        long changes = changes();
        int entries = ofDirectory(directory).size();
        Attributes attributes =
                new Attributes(
                        ino,
                        a.generation(),
                        FileType.DIRECTORY,
                        a.mode() & LIST_MODE,
                        2 + entries,
                        a.uid(),
                        a.gid(),
                        0,
                        a.size(),
                        0,
                        a.birthNs(),
                        a.birthNs(),
                        a.birthNs(),
                        Math.max(changes, a.version()),
                        Acls.NONE,
                        a.birthNs(),
                        0);
        return new Inode(
                attributes, directory, 0, living.policy(), null, null, entries, 0, changes);
    }

    /** Grows with every change of a list. */
    private long changes() {
        byte[] value = view.get(Family.META, Keys.snapshots());
        if (value == null) {
            return 0;
        }
        Decoder in = Keys.open(Family.META, value);
        in.i32();
        long fenceVersion = in.i64();
        boolean isTaking = SnapshotRecord.all(view).stream().anyMatch(SnapshotRecord::isBegun);
        return 2 * fenceVersion + (isTaking ? 0 : 1);
    }

    private List<SnapshotRecord> ofDirectory(long directory) {
        return SnapshotRecord.all(view).stream()
                .filter(record -> record.isLive() && record.root() == directory)
                .sorted(Comparator.comparingLong(record -> record.name().cookie()))
                .toList();
    }

    private @Nullable SnapshotRecord find(long directory, Name name) {
        for (SnapshotRecord record : ofDirectory(directory)) {
            if (record.name().equals(name)) {
                return record;
            }
        }
        return null;
    }

    private Reply readDirectory(Query.ReadDirectory m) {
        if (PastInode.isList(m.ino())) {
            return readList(m);
        }
        return in(
                PastInode.snapshotOf(m.ino()),
                TreeQueries.readDirectory(
                        at(m.ino()),
                        new Query.ReadDirectory(
                                PastInode.livingOf(m.ino()),
                                m.cookie(),
                                m.maxEntries(),
                                m.withAttributes())));
    }

    /** As a page of any directory: it never ends between entries of one cookie. */
    private DirectoryReply readList(Query.ReadDirectory m) {
        if (m.cookie() < 0) {
            throw new FsException(Errno.EINVAL, "cookie " + m.cookie());
        }
        Inode list = list(m.ino());
        int max = Math.clamp(m.maxEntries(), 1, MAX_LISTED);
        List<DirectoryEntry> entries = new ArrayList<>();
        for (SnapshotRecord record : ofDirectory(PastInode.livingOf(m.ino()))) {
            long cookie = record.name().cookie();
            if (cookie <= m.cookie()) {
                continue;
            }
            if (entries.size() >= max && cookie != entries.getLast().cookie()) {
                return new DirectoryReply(list.directoryState(), entries, false);
            }
            entries.add(entry(record, m.withAttributes()));
        }
        return new DirectoryReply(list.directoryState(), entries, true);
    }

    private DirectoryEntry entry(SnapshotRecord record, boolean withAttributes) {
        return new DirectoryEntry(
                record.name(),
                record.name().cookie(),
                PastInode.of(record.number(), record.root()),
                FileType.DIRECTORY,
                withAttributes ? root(record).attributes() : null);
    }

    private Reply lookupMany(Query.LookupMany m) {
        long parentIno = m.parentIno();
        if (PastInode.isList(parentIno)) {
            List<DirectoryEntry> entries = new ArrayList<>();
            for (Name name : m.names()) {
                SnapshotRecord found = find(PastInode.livingOf(parentIno), name);
                if (found != null) {
                    entries.add(entry(found, true));
                }
            }
            return new DirectoryReply(list(parentIno).directoryState(), entries, false);
        }
        return in(
                PastInode.snapshotOf(parentIno),
                TreeQueries.lookupMany(
                        at(parentIno),
                        new Query.LookupMany(PastInode.livingOf(parentIno), m.names())));
    }

    private static DirectoryReply in(int snapshot, DirectoryReply reply) {
        return new DirectoryReply(
                in(snapshot, reply.directory()),
                reply.entries().stream().map(entry -> PastInode.in(snapshot, entry)).toList(),
                reply.end());
    }

    private Reply getXattr(Query.GetXattr m) {
        if (PastInode.isList(m.ino())) {
            throw new FsException(Errno.ENODATA, "a list of snapshots has no attributes");
        }
        return InodeQueries.getXattr(
                at(m.ino()), new Query.GetXattr(PastInode.livingOf(m.ino()), m.name()));
    }

    private Reply listXattr(Query.ListXattr m) {
        if (PastInode.isList(m.ino())) {
            return new Reply.NamesReply(List.of());
        }
        return InodeQueries.listXattr(
                at(m.ino()), new Query.ListXattr(PastInode.livingOf(m.ino())));
    }
}
