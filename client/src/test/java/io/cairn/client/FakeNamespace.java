package io.cairn.client;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.DirectoryState;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Policy;
import io.cairn.fs.Acls;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.Reply.EntryReply;
import io.cairn.wire.master.TreeMutation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A namespace in memory that does of the seam what the client's tests need: one tree, inline
 * contents, layouts with runs and clones, versions. Not thread-safe.
 */
public final class FakeNamespace {
    /** Told what the garbage collector may delete. */
    interface Garbage {
        void delete(long oid, long fromChunk, long endChunk);
    }

    private final Map<Long, Inode> inodes = new HashMap<>();
    private final Map<Long, TreeMap<Name, Long>> names = new HashMap<>();
    private final Map<Long, Map<String, byte[]>> xattrs = new HashMap<>();
    private final Garbage garbage;
    private final FakeLayouts layouts;
    int inlineLimitBytes = 4096;
    int poolId = 1;
    private long version = 1;
    private long lastIno = 1;
    private long nowNs = 1_000_000_000L;

    FakeNamespace(int chunkSizeLog2, Garbage garbage) {
        this.layouts = new FakeLayouts(chunkSizeLog2, garbage);
        this.garbage = garbage;
        inodes.put(1L, inode(1, FileType.DIRECTORY, 01777, 0, 0));
        names.put(1L, new TreeMap<>());
    }

    private Inode inode(long ino, FileType type, int mode, int uid, int gid) {
        Attributes a =
                new Attributes(
                        ino,
                        1,
                        type,
                        mode,
                        type == FileType.DIRECTORY ? 2 : 1,
                        uid,
                        gid,
                        0,
                        0,
                        0,
                        nowNs,
                        nowNs,
                        nowNs,
                        version,
                        Acls.NONE,
                        0);
        Layout layout = type == FileType.FILE ? freshLayout(ino) : null;
        byte[] inline = type == FileType.FILE ? new byte[0] : null;
        return new Inode(
                a, type == FileType.DIRECTORY ? 1 : 0, 0, Policy.STANDARD, layout, inline, 0, 0, 0);
    }

    /** A client is lost. */
    public void doubtObjects() {
        layouts.doubt();
    }

    private boolean isDoubtful(Inode inode) {
        return inode.layout() != null && layouts.isDoubtful(inode.layout());
    }

    private Layout freshLayout(long seed) {
        return layouts.fresh(poolId, seed);
    }

    Reply apply(Mutation mutation) {
        version++;
        nowNs += 1000;
        try {
            return switch (mutation) {
                case TreeMutation.Create m -> create(m);
                case TreeMutation.Mkdir m -> mkdir(m);
                case TreeMutation.Symlink m -> symlink(m);
                case TreeMutation.Link m -> link(m);
                case TreeMutation.Unlink m -> unlink(m.parentIno(), m.name());
                case TreeMutation.Rmdir m -> unlink(m.parentIno(), m.name());
                case TreeMutation.Rename m -> rename(m);
                case TreeMutation.SetAttributes m -> setAttributes(m);
                case TreeMutation.SetXattr m -> {
                    xattrs.computeIfAbsent(m.ino(), i -> new HashMap<>())
                            .put(text(m.name()), m.value());
                    yield entry(relink(require(m.ino()), 0), null);
                }
                case TreeMutation.RemoveXattr m -> throw new FsException(Errno.ENODATA);
                case TreeMutation.SetPolicy m -> setPolicy(m);
                case ContentMutation.WriteInline m -> writeInline(m);
                case ContentMutation.CommitSize m -> commitSize(m);
                case ContentMutation.Spill m -> spill(m);
                case ContentMutation.CloneDone m -> cloneDone(m);
                case ContentMutation.SwapContents m -> swap(m);
                case ContentMutation.RenewTail m ->
                        entry(
                                require(m.ino()).layout().lastOid() == m.oid()
                                        ? renewTail(require(m.ino()))
                                        : require(m.ino()),
                                null);
                case ContentMutation.TakeDetour m -> entry(require(m.ino()), null);
                default -> throw new FsException(Errno.EINVAL, "not here: " + mutation);
            };
        } catch (FsException e) {
            return new Reply.Failure(e.errno(), String.valueOf(e.getMessage()));
        }
    }

    Reply read(Query query) {
        try {
            return switch (query) {
                case Query.Lookup q -> lookup(q.parentIno(), q.name());
                case Query.GetInode q -> entry(require(q.ino()), null);
                case Query.Open q -> entry(require(q.ino()), null);
                case Query.CheckTail q when isDoubtful(require(q.ino())) ->
                        throw new FsException(Errno.ESTALE);
                case Query.CheckTail q -> entry(require(q.ino()), null);
                case Query.ReadDirectory q -> list(q);
                case Query.GetXattr q -> {
                    byte[] value = xattrs.getOrDefault(q.ino(), Map.of()).get(text(q.name()));
                    if (value == null) {
                        throw new FsException(Errno.ENODATA);
                    }
                    yield new Reply.BytesReply(value);
                }
                default -> throw new FsException(Errno.EINVAL, "not here: " + query);
            };
        } catch (FsException e) {
            return new Reply.Failure(e.errno(), String.valueOf(e.getMessage()));
        }
    }

    private static String text(byte[] name) {
        return new String(name, java.nio.charset.StandardCharsets.UTF_8);
    }

    public Inode require(long ino) {
        Inode inode = inodes.get(ino);
        if (inode == null) {
            throw new FsException(Errno.ESTALE, "inode " + ino + " is gone");
        }
        return inode;
    }

    private long child(long parent, Name name) {
        TreeMap<Name, Long> children = names.get(parent);
        if (children == null) {
            throw new FsException(Errno.ENOTDIR);
        }
        Long ino = children.get(name);
        if (ino == null) {
            throw new FsException(Errno.ENOENT);
        }
        return ino;
    }

    private Reply lookup(long parentIno, Name name) {
        DirectoryState parent = require(parentIno).directoryState();
        Map<Name, Long> children = names.get(parentIno);
        return children != null && !children.containsKey(name)
                ? new Reply.Absent(parent)
                : entry(require(child(parentIno, name)), parent);
    }

    private static EntryReply entry(Inode inode, @Nullable DirectoryState parent) {
        return new EntryReply(inode, parent, null, null);
    }

    private Inode put(Inode inode) {
        inodes.put(inode.ino(), inode);
        return inode;
    }

    private Inode with(Inode inode, long size, long used, long mtimeNs) {
        return with(inode, 0, size, used, mtimeNs);
    }

    private Inode with(Inode inode, int linksDelta, long size, long used, long mtimeNs) {
        Attributes a = inode.attributes();
        return put(
                inode.withAttributes(
                        new Attributes(
                                a.ino(),
                                1,
                                a.type(),
                                a.mode(),
                                a.nlink() + linksDelta,
                                a.uid(),
                                a.gid(),
                                a.rdev(),
                                size,
                                Math.max(0, used),
                                a.atimeNs(),
                                mtimeNs,
                                nowNs,
                                version,
                                Acls.NONE,
                                0)));
    }

    /** Names of a directory were changed by one mutation. */
    private DirectoryState changed(long parent) {
        Inode i = require(parent);
        int count = names.getOrDefault(parent, new TreeMap<>()).size();
        long next = i.nameChanges() + 1;
        Inode counted =
                new Inode(i.attributes(), i.parentIno(), 0, i.policy(), null, null, count, 0, next);
        return with(counted, i.attributes().size(), 0, nowNs).directoryState();
    }

    private EntryReply add(long parent, Name name, Inode made) {
        TreeMap<Name, Long> children = names.get(parent);
        if (children == null) {
            throw new FsException(Errno.ENOTDIR);
        }
        if (children.containsKey(name)) {
            throw new FsException(Errno.EEXIST);
        }
        children.put(name, made.ino());
        put(made);
        return entry(made, changed(parent));
    }

    private Reply create(TreeMutation.Create m) {
        Inode made = inode(++lastIno, m.fileType(), m.mode(), m.uid(), m.gid());
        return add(m.parentIno(), m.name(), made);
    }

    private Reply mkdir(TreeMutation.Mkdir m) {
        Inode made = inode(++lastIno, FileType.DIRECTORY, m.mode(), m.uid(), m.gid());
        EntryReply reply = add(m.parentIno(), m.name(), made.withParent(m.parentIno()));
        names.put(made.ino(), new TreeMap<>());
        return reply;
    }

    private Reply symlink(TreeMutation.Symlink m) {
        Inode made = inode(++lastIno, FileType.SYMLINK, 0777, m.uid(), m.gid());
        return add(m.parentIno(), m.name(), made.withContents(null, m.target()));
    }

    private Inode relink(Inode inode, int delta) {
        Attributes a = inode.attributes();
        return with(inode, delta, a.size(), a.usedBytes(), a.mtimeNs());
    }

    private Reply link(TreeMutation.Link m) {
        EntryReply reply = add(m.newParentIno(), m.newName(), require(m.ino()));
        return entry(relink(require(m.ino()), 1), reply.parent());
    }

    private Reply unlink(long parent, Name name) {
        Inode inode = require(child(parent, name));
        names.get(parent).remove(name);
        names.remove(inode.ino());
        return entry(relink(inode, -1), changed(parent));
    }

    private Reply rename(TreeMutation.Rename m) {
        long ino = child(m.parentIno(), m.name());
        Long replaced = names.get(m.newParentIno()).get(m.newName());
        if (replaced != null && replaced == ino) {
            return entry(require(ino), require(m.parentIno()).directoryState());
        }
        if (replaced != null && (m.flags() & FileSystem.RENAME_NOREPLACE) != 0) {
            throw new FsException(Errno.EEXIST);
        }
        boolean exchange = (m.flags() & FileSystem.RENAME_EXCHANGE) != 0;
        names.get(m.parentIno()).remove(m.name());
        names.get(m.newParentIno()).put(m.newName(), ino);
        Attributes gone = null;
        if (replaced != null) {
            gone = relink(require(replaced), exchange ? 0 : -1).attributes();
            if (exchange) {
                names.get(m.parentIno()).put(m.name(), replaced);
            }
        }
        DirectoryState from = changed(m.parentIno());
        DirectoryState to = m.parentIno() == m.newParentIno() ? null : changed(m.newParentIno());
        return new EntryReply(relink(require(ino), 0), from, to, gone);
    }

    private Reply list(Query.ReadDirectory q) {
        List<DirectoryEntry> entries = new ArrayList<>();
        names.get(q.ino())
                .forEach(
                        (name, ino) -> {
                            Attributes a = require(ino).attributes();
                            entries.add(new DirectoryEntry(name, name.cookie(), ino, a.type(), a));
                        });
        entries.sort(Comparator.comparingLong(DirectoryEntry::cookie));
        entries.removeIf(each -> each.cookie() <= q.cookie());
        int count = Math.min(entries.size(), q.maxEntries());
        return new Reply.DirectoryReply(
                require(q.ino()).directoryState(),
                List.copyOf(entries.subList(0, count)),
                count == entries.size());
    }

    private Reply setAttributes(TreeMutation.SetAttributes m) {
        Inode inode = require(m.ino());
        AttributeChange c = m.change();
        if (c.has(AttributeChange.SIZE)) {
            inode = FakeLayouts.counted(inode, resize(inode, c.size()));
        }
        Attributes a = inode.attributes();
        int mode = c.has(AttributeChange.MODE) ? c.mode() : a.mode();
        if (c.has(AttributeChange.KILL_PRIVILEGE)) {
            mode &= ~04000;
        }
        Attributes changed =
                new Attributes(
                        a.ino(),
                        1,
                        a.type(),
                        mode,
                        a.nlink(),
                        c.has(AttributeChange.UID) ? c.uid() : a.uid(),
                        c.has(AttributeChange.GID) ? c.gid() : a.gid(),
                        a.rdev(),
                        a.size(),
                        a.usedBytes(),
                        c.has(AttributeChange.ATIME) ? c.atimeNs() : a.atimeNs(),
                        c.has(AttributeChange.MTIME) ? c.mtimeNs() : a.mtimeNs(),
                        nowNs,
                        version,
                        Acls.NONE,
                        0);
        return entry(put(inode.withAttributes(changed)), null);
    }

    private Inode resize(Inode inode, long size) {
        byte[] inline = inode.inline();
        Layout layout = inode.layout();
        Attributes a = inode.attributes();
        if (inline != null) {
            if (size > inlineLimitBytes) {
                if (inline.length > 0) {
                    throw new FsException(Errno.EFBIG);
                }
                Layout kept = isDoubtful(inode) ? renewTail(inode).layout() : layout;
                return with(inode.withContents(kept, null), size, 0, nowNs);
            }
            byte[] cut = Arrays.copyOf(inline, (int) size);
            return with(inode.withContents(layout, cut), size, size, nowNs);
        }
        if (size == 0) {
            for (Layout.Run run : layout.runs()) {
                garbage.delete(run.oid(), 0, Long.MAX_VALUE);
                if (run.sourceOid() != 0) {
                    garbage.delete(run.sourceOid(), run.firstChunk(), run.firstChunk() + 1);
                }
            }
            return with(inode.withContents(freshLayout(inode.ino()), new byte[0]), 0, 0, nowNs);
        }
        if (size >= a.size()) {
            boolean renews = size > a.size() && isDoubtful(inode);
            return with(renews ? renewTail(inode) : inode, size, a.usedBytes(), nowNs);
        }
        return with(
                inode.withContents(layouts.cut(layout, size), null), size, a.usedBytes(), nowNs);
    }

    /** Everything beyond the size becomes a hole. */
    private Inode renewTail(Inode inode) {
        Layout layout = inode.layout();
        if (inode.inline() == null) {
            Layout cut = layouts.cut(layout, inode.attributes().size());
            return relink(inode.withContents(layout.withRenewed(cut.runs()), null), 0);
        }
        garbage.delete(layout.lastOid(), 0, Long.MAX_VALUE);
        return relink(inode.withContents(freshLayout(inode.ino()), inode.inline()), 0);
    }

    private Reply writeInline(ContentMutation.WriteInline m) {
        Inode inode = require(m.ino());
        byte[] old = inode.inline();
        if (old == null || inode.cuts() != m.cuts()) {
            throw new FsException(Errno.ESTALE);
        }
        long size = m.lengthAfterBytes(old);
        if (size > inlineLimitBytes) {
            throw new FsException(Errno.EFBIG);
        }
        Inode after =
                with(inode.withContents(inode.layout(), m.applyTo(old)), size, size, m.mtimeNs());
        return new Reply.WrittenReply(
                inode.attributes().version(), after.withContents(after.layout(), null));
    }

    private Reply commitSize(ContentMutation.CommitSize m) {
        Inode inode = require(m.ino());
        if (inode.inline() != null || inode.layout().lastOid() != m.oid()) {
            throw new FsException(Errno.ESTALE);
        }
        Attributes a = inode.attributes();
        return entry(
                with(
                        inode,
                        Math.max(a.size(), m.sizeBytes()),
                        a.usedBytes() + m.usedDeltaBytes(),
                        m.mtimeNs()),
                null);
    }

    private Reply spill(ContentMutation.Spill m) {
        Inode inode = require(m.ino());
        if (inode.inline() == null || inode.attributes().version() != m.baseVersion()) {
            throw new FsException(Errno.ESTALE);
        }
        return entry(
                with(
                        inode.withContents(inode.layout(), null),
                        m.sizeBytes(),
                        m.usedBytes(),
                        m.mtimeNs()),
                null);
    }

    private Reply cloneDone(ContentMutation.CloneDone m) {
        Inode inode = require(m.ino());
        if (inode.inline() == null) {
            for (Layout.Run run : inode.layout().runs()) {
                if (run.oid() == m.oid() && run.sourceOid() != 0) {
                    garbage.delete(run.sourceOid(), run.firstChunk(), run.firstChunk() + 1);
                }
            }
            relink(inode.withContents(inode.layout().withCloned(m.oid()), null), 0);
        }
        return new Reply.Done();
    }

    private Reply setPolicy(TreeMutation.SetPolicy m) {
        Inode inode = require(m.ino());
        Layout layout = inode.layout();
        if (layout != null && inode.inline() == null) {
            throw new FsException(Errno.ESTALE);
        }
        if (layout != null && m.policy().chunkSizeLog2() > 0) {
            layout = new Layout(m.policy().chunkSizeLog2(), 0, layout.seed(), layout.runs());
        }
        return entry(
                relink(inode.withPolicy(m.policy()).withContents(layout, inode.inline()), 0), null);
    }

    private Reply swap(ContentMutation.SwapContents m) {
        Inode one = require(m.ino());
        Inode other = require(m.otherIno());
        if (one.attributes().version() != m.version()
                || other.attributes().version() != m.otherVersion()) {
            throw new FsException(Errno.ESTALE);
        }
        Attributes a = one.attributes();
        Attributes b = other.attributes();
        Inode first =
                with(
                        one.withContents(other.layout(), other.inline()).withPolicy(other.policy()),
                        b.size(),
                        b.usedBytes(),
                        a.mtimeNs());
        Inode second =
                with(
                        other.withContents(one.layout(), one.inline()).withPolicy(one.policy()),
                        a.size(),
                        a.usedBytes(),
                        b.mtimeNs());
        return new EntryReply(first, null, null, second.attributes());
    }
}
