package io.cairn.testkit.model;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.fs.Usage;
import io.cairn.runtime.Clock;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/**
 * The nodes of the model and the primitive changes of them, with the times each change sets.
 * Guarded by the monitor of {@link ModelFileSystem}.
 */
final class ModelTree {
    private static final long DAY_NS = 86_400L * 1_000_000_000L;
    private static final long MAX_NODES = 1L << 24;

    private final Map<Long, ModelNode> nodes = new HashMap<>();
    private final Clock clock;
    private final ModelLocks locks;
    private final int maxLinks;
    private final long capacityBytes;
    private long usedBytes;
    private long lastIno = FileSystem.ROOT_INO;
    private long lastTimeNs;
    private long version;

    ModelTree(Clock clock, ModelLocks locks, int maxLinks, long capacityBytes) {
        this.clock = clock;
        this.locks = locks;
        this.maxLinks = maxLinks;
        this.capacityBytes = capacityBytes;
        ModelNode root = new ModelNode(FileSystem.ROOT_INO, FileType.DIRECTORY);
        root.mode = 0755;
        root.nlink = 2;
        stampAll(root);
        nodes.put(root.ino, root);
    }

    int maxLinks() {
        return maxLinks;
    }

    /** The time now, later than every time given before. */
    long now() {
        lastTimeNs = Math.max(lastTimeNs + 1, clock.wallNs());
        return lastTimeNs;
    }

    private void stampAll(ModelNode node) {
        node.ctimeNs = now();
        node.mtimeNs = node.ctimeNs;
        node.atimeNs = node.ctimeNs;
        node.version = ++version;
    }

    ModelNode node(long ino) {
        ModelNode node = nodes.get(ino);
        if (node == null) {
            throw new FsException(Errno.ESTALE, "inode " + ino + " is gone");
        }
        return node;
    }

    ModelNode directory(long ino) {
        ModelNode node = node(ino);
        if (!node.isDirectory()) {
            throw new FsException(Errno.ENOTDIR, "inode " + ino + " is no directory");
        }
        return node;
    }

    ModelNode child(ModelNode parent, Name name) {
        ModelNode child = parent.children.get(ModelNode.Key.of(name));
        if (child == null) {
            throw new FsException(Errno.ENOENT, name + ": no such file or directory");
        }
        return child;
    }

    static void requireEmptyDirectory(ModelNode node) {
        if (!node.isDirectory()) {
            throw new FsException(Errno.ENOTDIR, "inode " + node.ino + " is no directory");
        }
        if (!node.children.isEmpty()) {
            throw new FsException(Errno.ENOTEMPTY, "inode " + node.ino + " is not empty");
        }
    }

    static void requireSize(ModelNode node, long size) {
        if (node.isDirectory()) {
            throw new FsException(Errno.EISDIR, "inode " + node.ino + " is a directory");
        }
        if (size < 0 || node.type != FileType.FILE) {
            throw new FsException(Errno.EINVAL, "length " + size + " for inode " + node.ino);
        }
        if (size > FileSystem.MAX_FILE_BYTES) {
            throw new FsException(Errno.EFBIG, "length " + size);
        }
    }

    /** Makes a node with a name; the caller has checked that it may. */
    ModelNode add(Caller caller, ModelNode parent, Name name, FileType type, int mode) {
        ModelNode node = make(caller, parent, type, mode);
        node.nlink = 1;
        attach(parent, name, node);
        stampAll(node);
        node.birthNs = node.ctimeNs;
        return node;
    }

    /** Makes a node without a name, with what a directory decides of it. */
    ModelNode make(Caller caller, ModelNode parent, FileType type, int mode) {
        if (nodes.size() >= MAX_NODES) {
            throw new FsException(Errno.ENOSPC, "no inodes left");
        }
        ModelNode node = new ModelNode(++lastIno, type);
        boolean inherits = (parent.mode & 02000) != 0;
        node.uid = caller.uid();
        node.gid = inherits ? parent.gid : caller.gid();
        node.mode = mode & 07777;
        if (inherits && node.isDirectory()) {
            node.mode |= 02000;
        } else if (inherits
                && (mode & 02010) == 02010
                && !ModelPermissions.maySetgid(caller, node.gid)) {
            node.mode &= ~02000;
        }
        node.flags = parent.flags & Attributes.INHERITED;
        node.maxLinks = maxLinks;
        nodes.put(node.ino, node);
        stampAll(node);
        node.birthNs = node.ctimeNs;
        return node;
    }

    /** Gives a node a name; its link count is the caller's affair. */
    void attach(ModelNode parent, Name name, ModelNode node) {
        parent.children.put(ModelNode.Key.of(name), node);
        modified(parent);
        changed(node);
    }

    /** Takes a name away; the link count is the caller's affair. */
    void detach(ModelNode parent, Name name) {
        parent.children.remove(ModelNode.Key.of(name));
        modified(parent);
    }

    /** One name less: the node goes when nobody has it open. */
    void dropLink(ModelNode node) {
        node.nlink--;
        changed(node);
        dropIfUnused(node);
    }

    /** A directory that has lost its name. */
    void dropDirectory(ModelNode parent, ModelNode victim) {
        parent.nlink--;
        victim.nlink = 0;
        changed(victim);
        dropIfUnused(victim);
    }

    void dropIfUnused(ModelNode node) {
        if (node.nlink == 0 && node.opens == 0) {
            usedBytes -= node.contents.usedBytes();
            nodes.remove(node.ino);
            locks.forget(node.ino);
        }
    }

    /** New ctime. */
    void changed(ModelNode node) {
        node.ctimeNs = now();
        node.version = ++version;
    }

    /** New mtime and ctime. */
    void modified(ModelNode node) {
        changed(node);
        node.mtimeNs = node.ctimeNs;
    }

    /** A read, by the rule of the mount option relatime. */
    void touch(ModelNode node) {
        long now = now();
        if ((node.flags & Attributes.NOATIME) != 0) {
            return;
        }
        if (node.atimeNs <= node.mtimeNs
                || node.atimeNs <= node.ctimeNs
                || now - node.atimeNs >= DAY_NS) {
            node.atimeNs = now;
        }
    }

    /** Writes bytes and sets the times; bytes beyond the capacity are refused as a whole. */
    void write(ModelNode node, long offset, ByteBuffer source) {
        reserve(node.contents.missingBytes(offset, source.remaining()));
        node.size = Math.max(node.size, offset + source.remaining());
        node.contents.write(offset, source);
        modified(node);
    }

    /** Accounts for bytes about to be used. */
    void reserve(long bytes) {
        requireFree(bytes);
        usedBytes += bytes;
    }

    /** ENOSPC unless so many bytes are free. */
    void requireFree(long bytes) {
        if (bytes > capacityBytes - usedBytes) {
            throw new FsException(Errno.ENOSPC, usedBytes + " bytes used of " + capacityBytes);
        }
    }

    /** Runs a change that may free contents, keeping the account. */
    void freeing(ModelNode node, Runnable change) {
        long before = node.contents.usedBytes();
        change.run();
        usedBytes -= before - node.contents.usedBytes();
    }

    void truncate(Caller caller, ModelNode node, long size) {
        if (size < node.size) {
            freeing(node, () -> node.contents.truncate(size));
        }
        node.size = size;
        if (caller.uid() != 0) {
            node.killPrivilege();
        }
        modified(node);
    }

    /** Applies what {@link ModelPermissions#requireChange} has allowed. */
    void change(Caller caller, ModelNode node, AttributeChange change) {
        if (change.has(AttributeChange.SIZE)) {
            truncate(caller, node, change.size());
        }
        if (change.has(AttributeChange.UID | AttributeChange.GID)) {
            node.uid = change.has(AttributeChange.UID) ? change.uid() : node.uid;
            node.gid = change.has(AttributeChange.GID) ? change.gid() : node.gid;
            if (!node.isDirectory() && !change.has(AttributeChange.MODE)) {
                node.killPrivilege();
            }
        }
        if (change.has(AttributeChange.MODE)) {
            boolean strip = !ModelPermissions.maySetgid(caller, node.gid);
            node.mode = change.mode() & (strip ? 05777 : 07777);
        }
        if (change.has(AttributeChange.KILL_PRIVILEGE)) {
            node.killPrivilege();
        }
        node.flags = change.flagsAfter(node.flags);
        changed(node);
        if (change.has(AttributeChange.ATIME)) {
            boolean now = change.has(AttributeChange.ATIME_NOW);
            node.atimeNs = now ? node.ctimeNs : change.atimeNs();
        }
        if (change.has(AttributeChange.MTIME)) {
            boolean now = change.has(AttributeChange.MTIME_NOW);
            node.mtimeNs = now ? node.ctimeNs : change.mtimeNs();
        }
    }

    Usage usage() {
        long free = capacityBytes - usedBytes;
        return new Usage(capacityBytes, free, free, nodes.size(), MAX_NODES - nodes.size());
    }
}
