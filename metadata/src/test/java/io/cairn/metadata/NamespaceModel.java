package io.cairn.metadata;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Policy;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.metadata.content.LayoutChoice;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.Reply.EntryReply;
import io.cairn.wire.master.TreeMutation;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The filesystem as a tree of plain objects, written from the manual pages: what the namespace is
 * compared with. Not thread-safe.
 */
final class NamespaceModel {
    static final int INLINE_LIMIT = 512;

    final Map<Long, NodeModel> nodes = new TreeMap<>();
    long now;
    long version;
    private long nextIno = 2;
    long nextOid = 1;
    private long firstSureOid;

    NamespaceModel(long now) {
        NodeModel root = new NodeModel(1, FileType.DIRECTORY, now);
        root.parent = root;
        root.mode = 0755;
        root.nlink = 2;
        root.size = 4096;
        nodes.put(1L, root);
    }

    static void demand(boolean condition, Errno errno) {
        if (!condition) {
            throw new FsException(errno);
        }
    }

    NodeModel node(long ino) {
        NodeModel node = nodes.get(ino);
        demand(node != null, Errno.ESTALE);
        return Objects.requireNonNull(node);
    }

    NodeModel directory(long ino) {
        NodeModel node = node(ino);
        demand(node.isDirectory(), Errno.ENOTDIR);
        demand(node.nlink > 0, Errno.ENOENT);
        return node;
    }

    NodeModel file(long ino) {
        NodeModel node = node(ino);
        demand(!node.isDirectory(), Errno.EISDIR);
        demand(node.isFile(), Errno.EINVAL);
        return node;
    }

    private static NodeModel child(NodeModel parent, String name) {
        NodeModel child = parent.children.get(name);
        demand(child != null, Errno.ENOENT);
        return Objects.requireNonNull(child);
    }

    private static EntryReply reply(NodeModel node, @Nullable NodeModel parent) {
        return new EntryReply(
                node.inode(), parent == null ? null : parent.directoryState(), null, null);
    }

    private void changed(NodeModel node) {
        node.ctime = now;
        node.version = version;
    }

    private void modified(NodeModel node) {
        node.mtime = now;
        changed(node);
    }

    private void renamedIn(NodeModel directory) {
        directory.nameChanges++;
        modified(directory);
    }

    private NodeModel make(NodeModel parent, FileType type, int mode, int uid, int gid) {
        NodeModel node = new NodeModel(nextIno++, type, now);
        node.mode = mode & 07777;
        node.uid = uid;
        node.gid = gid;
        if ((parent.mode & 02000) != 0) {
            node.gid = parent.gid;
            node.mode |= type == FileType.DIRECTORY ? 02000 : 0;
        }
        if (type == FileType.DIRECTORY || type == FileType.FILE) {
            node.policy = parent.policy;
        }
        nodes.put(node.ino, node);
        return node;
    }

    private EntryReply enter(NodeModel parent, String name, NodeModel node) {
        parent.children.put(name, node);
        parent.nlink += node.isDirectory() ? 1 : 0;
        if (node.parent == null) {
            node.settle(parent, name);
        }
        renamedIn(parent);
        changed(node);
        return reply(node, parent);
    }

    EntryReply create(TreeMutation.Create m) {
        demand(
                m.fileType() != FileType.DIRECTORY && m.fileType() != FileType.SYMLINK,
                Errno.EINVAL);
        NodeModel parent = directory(m.parentIno());
        NodeModel existing = parent.children.get(m.name().toString());
        if (existing != null) {
            boolean same = m.verifier() != 0 && m.verifier() == existing.verifier;
            demand(m.fileType() == FileType.FILE && existing.isFile(), Errno.EEXIST);
            demand(m.orExisting() || same, Errno.EEXIST);
            return reply(existing, parent);
        }
        boolean isFile = m.fileType() == FileType.FILE;
        demand(isFile || m.inline().length == 0, Errno.EINVAL);
        demand(m.inline().length <= INLINE_LIMIT, Errno.EFBIG);
        NodeModel node = make(parent, m.fileType(), m.mode(), m.uid(), m.gid());
        if (isFile) {
            node.setInline(m.inline());
            node.setObject(nextOid++);
            node.poolId = 1;
            node.verifier = m.verifier();
        } else if (m.fileType() == FileType.BLOCK_DEVICE
                || m.fileType() == FileType.CHARACTER_DEVICE) {
            node.rdev = m.rdev();
        }
        return enter(parent, m.name().toString(), node);
    }

    EntryReply createUnnamed(TreeMutation.CreateUnnamed m) {
        NodeModel node = make(directory(m.parentIno()), FileType.FILE, m.mode(), m.uid(), m.gid());
        node.setInline(new byte[0]);
        node.setObject(nextOid++);
        node.poolId = 1;
        node.nlink = 0;
        node.linkable = m.linkable();
        changed(node);
        return reply(node, null);
    }

    EntryReply mkdir(TreeMutation.Mkdir m) {
        NodeModel parent = directory(m.parentIno());
        demand(!parent.children.containsKey(m.name().toString()), Errno.EEXIST);
        NodeModel node = make(parent, FileType.DIRECTORY, m.mode(), m.uid(), m.gid());
        node.nlink = 2;
        node.size = 4096;
        return enter(parent, m.name().toString(), node);
    }

    EntryReply symlink(TreeMutation.Symlink m) {
        NodeModel parent = directory(m.parentIno());
        demand(!parent.children.containsKey(m.name().toString()), Errno.EEXIST);
        NodeModel node = make(parent, FileType.SYMLINK, 0777, m.uid(), m.gid());
        node.inline = m.target();
        node.size = m.target().length;
        return enter(parent, m.name().toString(), node);
    }

    EntryReply link(TreeMutation.Link m) {
        NodeModel node = node(m.ino());
        NodeModel parent = directory(m.newParentIno());
        demand(!parent.children.containsKey(m.newName().toString()), Errno.EEXIST);
        demand(!node.isDirectory(), Errno.EPERM);
        demand(node.nlink > 0 || node.linkable, Errno.ENOENT);
        node.linkable = false;
        node.nlink++;
        return enter(parent, m.newName().toString(), node);
    }

    EntryReply unlink(TreeMutation.Unlink m) {
        NodeModel parent = directory(m.parentIno());
        NodeModel node = child(parent, m.name().toString());
        demand(!node.isDirectory(), Errno.EISDIR);
        return leave(parent, m.name().toString(), node);
    }

    EntryReply rmdir(TreeMutation.Rmdir m) {
        NodeModel parent = directory(m.parentIno());
        NodeModel node = child(parent, m.name().toString());
        demand(node.isDirectory(), Errno.ENOTDIR);
        demand(node.children.isEmpty(), Errno.ENOTEMPTY);
        return leave(parent, m.name().toString(), node);
    }

    private EntryReply leave(NodeModel parent, String name, NodeModel node) {
        parent.children.remove(name);
        if (node.isDirectory()) {
            parent.nlink--;
        }
        renamedIn(parent);
        loseName(node, parent, name);
        return reply(node, parent);
    }

    private void loseName(NodeModel node, NodeModel parent, String name) {
        node.nlink = node.isDirectory() ? 0 : node.nlink - 1;
        if (!node.isDirectory() && node.isHome(parent, name)) {
            node.settleElsewhere(nodes.values());
        }
        changed(node);
    }

    EntryReply rename(TreeMutation.Rename m) {
        demand(List.of(0, 1, 2, 4, 5).contains(m.flags()), Errno.EINVAL);
        NodeModel from = directory(m.parentIno());
        NodeModel to = directory(m.newParentIno());
        NodeModel source = child(from, m.name().toString());
        NodeModel target = to.children.get(m.newName().toString());
        demand(target == null || m.flags() % 2 == 0, Errno.EEXIST);
        boolean exchange = m.flags() == FileSystem.RENAME_EXCHANGE;
        demand(target != null || !exchange, Errno.ENOENT);
        demand(!to.isBelow(source), Errno.EINVAL);
        if (target != null && from.isBelow(target)) {
            throw new FsException(exchange ? Errno.EINVAL : Errno.ENOTEMPTY);
        }
        if (source == target) {
            return renamed(source, from, to, null);
        }
        if (target != null && !exchange) {
            demand(!source.isDirectory() || target.isDirectory(), Errno.ENOTDIR);
            demand(source.isDirectory() || !target.isDirectory(), Errno.EISDIR);
            demand(target.children.isEmpty(), Errno.ENOTEMPTY);
        }
        from.children.remove(m.name().toString());
        to.children.put(m.newName().toString(), source);
        from.nlink -= source.isDirectory() ? 1 : 0;
        to.nlink += source.isDirectory() ? 1 : 0;
        String newName = m.newName().toString();
        if (source.isHome(from, m.name().toString())) {
            source.settle(to, newName);
        }
        if (target != null) {
            to.nlink -= target.isDirectory() ? 1 : 0;
            if (exchange) {
                from.children.put(m.name().toString(), target);
                from.nlink += target.isDirectory() ? 1 : 0;
                if (target.isHome(to, newName)) {
                    target.settle(from, m.name().toString());
                }
                changed(target);
            } else {
                loseName(target, to, newName);
            }
        }
        if (m.flags() >= FileSystem.RENAME_WHITEOUT) {
            NodeModel nothing = make(from, FileType.CHARACTER_DEVICE, 0, m.uid(), m.gid());
            from.children.put(m.name().toString(), nothing);
            nothing.settle(from, m.name().toString());
            changed(nothing);
        }
        renamedIn(from);
        if (to != from) {
            renamedIn(to);
        }
        changed(source);
        return renamed(source, from, to, target);
    }

    private static EntryReply renamed(
            NodeModel node, NodeModel from, NodeModel to, @Nullable NodeModel target) {
        return new EntryReply(
                node.inode(),
                from.directoryState(),
                from == to ? null : to.directoryState(),
                target == null ? null : target.attributes());
    }

    EntryReply setAttributes(TreeMutation.SetAttributes m) {
        AttributeChange c = m.change();
        NodeModel node = node(m.ino());
        demand(!c.has(AttributeChange.GUARD) || c.guardCtimeNs() == node.ctime, Errno.ECANCELED);
        int what = c.mask() & (511 & ~(64 | 128));
        if (what == 0) {
            return reply(node, null);
        }
        long atime = c.has(AttributeChange.ATIME_NOW) ? now : c.atimeNs();
        if (what == AttributeChange.ATIME && c.has(AttributeChange.KEEP_CTIME)) {
            node.atime = Math.max(node.atime, atime);
            return reply(node, null);
        }
        if (c.has(AttributeChange.SIZE)) {
            resize(node, c.size());
            node.nameChanges++;
            node.mtime = now;
        }
        node.mode = c.has(AttributeChange.MODE) ? c.mode() & 07777 : node.mode;
        node.uid = c.has(AttributeChange.UID) ? c.uid() : node.uid;
        node.gid = c.has(AttributeChange.GID) ? c.gid() : node.gid;
        if (c.has(AttributeChange.KILL_PRIVILEGE) && !node.isDirectory()) {
            node.mode &= (node.mode & 010) != 0 ? ~06000 : ~04000;
        }
        node.atime = c.has(AttributeChange.ATIME) ? atime : node.atime;
        if (c.has(AttributeChange.MTIME)) {
            node.mtime = c.has(AttributeChange.MTIME_NOW) ? now : c.mtimeNs();
        }
        changed(node);
        return reply(node, null);
    }

    private void resize(NodeModel node, long size) {
        demand(!node.isDirectory(), Errno.EISDIR);
        demand(node.isFile() && size >= 0, Errno.EINVAL);
        byte[] inline = node.inline;
        if (inline != null) {
            if (size <= INLINE_LIMIT) {
                node.setInline(Arrays.copyOf(inline, (int) size));
            } else {
                demand(inline.length == 0, Errno.EFBIG);
                if (isDoubtful(node)) {
                    node.renewTail(nextOid++);
                }
                node.inline = null;
                node.size = size;
            }
        } else if (size == 0) {
            node.setInline(new byte[0]);
            node.setObject(nextOid++);
        } else if (size < node.size) {
            node.cut(size, nextOid++);
            node.size = size;
            node.used = Math.min(node.used, (size + 4095) / 4096 * 4096);
        } else {
            if (size > node.size && isDoubtful(node)) {
                node.renewTail(nextOid++);
            }
            node.size = size;
        }
    }

    private boolean isDoubtful(NodeModel node) {
        return node.lastOid() < firstSureOid;
    }

    /** A client is lost: it may have written to any object there is. */
    void doubtObjects() {
        firstSureOid = nextOid;
    }

    EntryReply renewTail(ContentMutation.RenewTail m) {
        NodeModel node = file(m.ino());
        if (node.lastOid() == m.oid()) {
            node.renewTail(nextOid++);
            node.version = version;
        }
        return reply(node, null);
    }

    EntryReply takeDetour(ContentMutation.TakeDetour m) {
        NodeModel node = file(m.ino());
        demand(node.version == m.version(), Errno.ESTALE);
        return reply(node, null);
    }

    EntryReply setXattr(TreeMutation.SetXattr m) {
        NodeModel node = node(m.ino());
        String name = new String(m.name(), java.nio.charset.StandardCharsets.UTF_8);
        boolean exists = node.xattrs.containsKey(name);
        demand(!exists || m.flags() != FileSystem.XATTR_CREATE, Errno.EEXIST);
        demand(exists || m.flags() != FileSystem.XATTR_REPLACE, Errno.ENODATA);
        node.xattrs.put(name, m.value());
        changed(node);
        return reply(node, null);
    }

    EntryReply replaceXattr(TreeMutation.ReplaceXattr m) {
        NodeModel node = node(m.ino());
        String name = new String(m.name(), java.nio.charset.StandardCharsets.UTF_8);
        demand(java.util.Arrays.equals(node.xattrs.get(name), m.expected()), Errno.ECANCELED);
        node.xattrs.put(name, m.value());
        changed(node);
        return reply(node, null);
    }

    EntryReply removeXattr(TreeMutation.RemoveXattr m) {
        NodeModel node = node(m.ino());
        String name = new String(m.name(), java.nio.charset.StandardCharsets.UTF_8);
        demand(node.xattrs.remove(name) != null, Errno.ENODATA);
        changed(node);
        return reply(node, null);
    }

    EntryReply setPolicy(TreeMutation.SetPolicy m) {
        Policy policy = m.policy();
        demand(policy.replicas() <= Policy.MAX_REPLICAS, Errno.EINVAL);
        NodeModel node = node(m.ino());
        demand(node.isFile() || node.isDirectory(), Errno.EINVAL);
        if (!(node.isFile() && node.inline != null) && policy.equals(node.policy)) {
            return reply(node, null);
        }
        node.policy = policy;
        if (node.inline != null && node.isFile() && node.seed != LayoutChoice.seed(node.ino)) {
            node.setObject(nextOid++);
        }
        changed(node);
        return reply(node, null);
    }

    Reply.WrittenReply writeInline(ContentMutation.WriteInline m) {
        NodeModel node = file(m.ino());
        long before = node.version;
        byte[] old = node.inline;
        if (old == null || node.nameChanges != m.cuts()) {
            throw new FsException(Errno.ESTALE);
        }
        long size = Math.max(old.length, m.sizeBytes());
        for (ContentMutation.Patch patch : m.patches()) {
            size = Math.max(size, patch.endBytes());
        }
        demand(size <= INLINE_LIMIT, Errno.EFBIG);
        byte[] bytes = Arrays.copyOf(old, (int) size);
        for (ContentMutation.Patch patch : m.patches()) {
            for (int i = 0; i < patch.bytes().limit(); i++) {
                bytes[(int) patch.offsetBytes() + i] = patch.bytes().get(i);
            }
        }
        node.setInline(bytes);
        Inode after = written(node, m.mtimeNs()).inode();
        return new Reply.WrittenReply(before, after.withContents(after.layout(), null));
    }

    private EntryReply written(NodeModel node, long mtime) {
        changed(node);
        node.mtime = mtime;
        return reply(node, null);
    }

    EntryReply commitSize(ContentMutation.CommitSize m) {
        NodeModel node = file(m.ino());
        demand(node.inline == null && node.lastOid() == m.oid(), Errno.ESTALE);
        node.size = Math.max(node.size, m.sizeBytes());
        node.used = Math.max(0, node.used + m.usedDeltaBytes());
        return written(node, m.mtimeNs());
    }

    EntryReply spill(ContentMutation.Spill m) {
        NodeModel node = file(m.ino());
        byte[] inline = node.inline;
        demand(inline != null && node.version == m.baseVersion(), Errno.ESTALE);
        demand(m.sizeBytes() >= node.size && m.usedBytes() >= 0, Errno.EINVAL);
        node.inline = null;
        node.size = m.sizeBytes();
        node.used = m.usedBytes();
        return written(node, m.mtimeNs());
    }

    Reply cloneDone(ContentMutation.CloneDone m) {
        NodeModel node = file(m.ino());
        for (int i = 0; i < NodeModel.CHUNKS && node.inline == null; i++) {
            NodeModel.Chunk chunk = node.chunks[i];
            if (i == m.indices()[0] && chunk.oid() == m.oids()[0] && chunk.sourceOid() != 0) {
                node.chunks[i] = chunk.cloned(i);
                node.version = version;
            }
        }
        return new Reply.Done();
    }

    EntryReply swap(ContentMutation.SwapContents m) {
        demand(m.ino() != m.otherIno(), Errno.EINVAL);
        NodeModel one = file(m.ino());
        NodeModel other = file(m.otherIno());
        demand(one.version == m.version() && other.version == m.otherVersion(), Errno.ESTALE);
        Inode before = one.inode();
        NodeModel.Chunk[] chunks = one.chunks.clone();
        one.takeContents(other.inode(), other.chunks.clone());
        other.takeContents(before, chunks);
        changed(one);
        changed(other);
        return new EntryReply(one.inode(), null, null, other.attributes());
    }

    void purge(long ino) {
        NodeModel node = nodes.get(ino);
        if (node != null && node.nlink == 0) {
            nodes.remove(ino);
        }
    }
}
