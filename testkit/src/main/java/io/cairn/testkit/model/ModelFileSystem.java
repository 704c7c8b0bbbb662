package io.cairn.testkit.model;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.DirectoryPage;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.HostLocks;
import io.cairn.fs.Lock;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.fs.Usage;
import io.cairn.runtime.Clock;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The reference: a whole filesystem in memory, as simple as it can be written. Its behaviour is
 * meant to be that of Linux on a local disk; the contract suite holds both against each other.
 *
 * <p>Thread-safe by one monitor; only waiting for locks happens outside of it. Times never repeat:
 * each change gets a time of its own, so that tests can compare without waiting.
 *
 * <p>Attributes, links, contents and the like are in {@link ModelTree}; this class is the door that
 * checks permissions and turns arguments into nodes.
 */
public final class ModelFileSystem implements FileSystem {
    private final ModelTree tree;
    private final ModelLocks locks = new ModelLocks();
    private final ModelHostLocks hostLocks = new ModelHostLocks(locks);

    /** An empty filesystem of 64 GiB with the link limit of {@link FileSystem#MAX_LINKS}. */
    public ModelFileSystem(Clock clock) {
        this(clock, MAX_LINKS, 64L << 30);
    }

    /**
     * An empty filesystem.
     *
     * @param maxLinks names of a file; a directory with more sub-directories, plus 2, shows 1
     * @param capacityBytes what contents may use together before ENOSPC
     */
    public ModelFileSystem(Clock clock, int maxLinks, long capacityBytes) {
        tree = new ModelTree(clock, locks, maxLinks, capacityBytes);
    }

    @Override
    public synchronized Attributes lookup(Caller caller, long parentIno, Name name) {
        ModelNode parent = tree.directory(parentIno);
        ModelPermissions.require(caller, parent, ACCESS_EXECUTE);
        return tree.child(parent, name).attributes();
    }

    @Override
    public synchronized long parent(long directoryIno) {
        ModelNode parent = tree.directory(directoryIno).parent;
        return parent == null ? ROOT_INO : parent.ino;
    }

    @Override
    public synchronized Attributes getAttributes(Caller caller, long ino) {
        return tree.node(ino).attributes();
    }

    @Override
    public synchronized Attributes setAttributes(Caller caller, long ino, AttributeChange change) {
        ModelNode node = tree.node(ino);
        if (change.has(AttributeChange.SIZE)) {
            ModelTree.requireSize(node, change.size());
        }
        if (change.has(AttributeChange.GUARD) && change.guardCtimeNs() != node.ctimeNs) {
            throw new FsException(Errno.ECANCELED, "inode " + ino + " has changed");
        }
        ModelPermissions.requireChange(caller, node, change);
        try (ModelChangeReport _ = new ModelChangeReport(caller, node)) {
            tree.change(caller, node, change);
        }
        return node.attributes();
    }

    @Override
    public synchronized void access(Caller caller, long ino, int accessBits) {
        ModelPermissions.require(caller, tree.node(ino), accessBits);
    }

    @Override
    public synchronized Attributes mkdir(Caller caller, long parentIno, Name name, int mode) {
        ModelNode parent = addable(caller, parentIno, name);
        try (ModelChangeReport _ = new ModelChangeReport(caller, parent)) {
            ModelNode node = tree.add(caller, parent, name, FileType.DIRECTORY, mode);
            node.nlink = 2;
            node.parent = parent;
            parent.nlink++;
            return node.attributes();
        }
    }

    @Override
    public synchronized Attributes mknod(
            Caller caller, long parentIno, Name name, FileType type, int mode, long rdev) {
        if (type == FileType.DIRECTORY || type == FileType.SYMLINK) {
            throw new FsException(Errno.EINVAL, "mknod cannot make a " + type);
        }
        ModelNode parent = addable(caller, parentIno, name);
        boolean device = type == FileType.CHARACTER_DEVICE || type == FileType.BLOCK_DEVICE;
        if (device && caller.uid() != 0 && !caller.checked()) {
            throw new FsException(Errno.EPERM, "devices are for the superuser");
        }
        try (ModelChangeReport _ = new ModelChangeReport(caller, parent)) {
            ModelNode node = tree.add(caller, parent, name, type, mode);
            node.rdev = device ? rdev : 0;
            return node.attributes();
        }
    }

    @Override
    public synchronized Attributes symlink(
            Caller caller, long parentIno, Name name, byte[] target) {
        if (target.length == 0) {
            throw new FsException(Errno.ENOENT, "a symbolic link to nothing");
        }
        if (target.length >= MAX_PATH_BYTES) {
            throw new FsException(Errno.ENAMETOOLONG, "target of " + target.length + " bytes");
        }
        ModelNode parent = addable(caller, parentIno, name);
        try (ModelChangeReport _ = new ModelChangeReport(caller, parent)) {
            ModelNode node = tree.add(caller, parent, name, FileType.SYMLINK, 0777);
            node.target = target.clone();
            node.size = target.length;
            return node.attributes();
        }
    }

    /** The directory for a new name, after the checks all makers of names have in common. */
    private ModelNode addable(Caller caller, long parentIno, Name name) {
        ModelNode parent = tree.directory(parentIno);
        ModelPermissions.require(caller, parent, ACCESS_EXECUTE);
        if (parent.children.containsKey(ModelNode.Key.of(name))) {
            throw new FsException(Errno.EEXIST, name + " exists");
        }
        if (parent.nlink == 0) {
            throw new FsException(Errno.ENOENT, "the directory has been removed");
        }
        ModelPermissions.requireAdd(caller, parent);
        return parent;
    }

    @Override
    public synchronized byte[] readlink(Caller caller, long ino) {
        ModelNode node = tree.node(ino);
        if (node.type != FileType.SYMLINK) {
            throw new FsException(Errno.EINVAL, "inode " + ino + " is no symbolic link");
        }
        tree.touch(node);
        return node.target.clone();
    }

    @Override
    public synchronized Attributes link(Caller caller, long ino, long newParentIno, Name newName) {
        ModelNode node = tree.node(ino);
        ModelNode parent = addable(caller, newParentIno, newName);
        ModelPermissions.requireNone(node, Attributes.PROTECTING);
        if (node.isDirectory()) {
            throw new FsException(Errno.EPERM, "hard link to a directory");
        }
        if (node.nlink == 0 && !node.linkable) {
            throw new FsException(Errno.ENOENT, "the file has no name any more");
        }
        if (node.nlink >= tree.maxLinks()) {
            throw new FsException(Errno.EMLINK, "the file has " + node.nlink + " links");
        }
        try (ModelChangeReport _ = new ModelChangeReport(caller, parent)) {
            tree.attach(parent, newName, node);
            node.nlink++;
            node.linkable = false;
            return node.attributes();
        }
    }

    @Override
    public synchronized void unlink(Caller caller, long parentIno, Name name) {
        ModelNode parent = tree.directory(parentIno);
        ModelPermissions.require(caller, parent, ACCESS_EXECUTE);
        ModelNode victim = tree.child(parent, name);
        ModelPermissions.requireRemove(caller, parent, victim);
        if (victim.isDirectory()) {
            throw new FsException(Errno.EISDIR, name + " is a directory");
        }
        try (ModelChangeReport _ = new ModelChangeReport(caller, parent)) {
            tree.detach(parent, name);
            tree.dropLink(victim);
        }
    }

    @Override
    public synchronized void rmdir(Caller caller, long parentIno, Name name) {
        ModelNode parent = tree.directory(parentIno);
        ModelPermissions.require(caller, parent, ACCESS_EXECUTE);
        ModelNode victim = tree.child(parent, name);
        ModelPermissions.requireRemove(caller, parent, victim);
        ModelTree.requireEmptyDirectory(victim);
        try (ModelChangeReport _ = new ModelChangeReport(caller, parent)) {
            tree.detach(parent, name);
            tree.dropDirectory(parent, victim);
        }
    }

    @Override
    public synchronized void rename(
            Caller caller, long parentIno, Name name, long newParentIno, Name newName, int flags) {
        ModelNode from = tree.directory(parentIno);
        ModelNode to = tree.directory(newParentIno);
        try (ModelChangeReport _ = new ModelChangeReport(caller, from, to)) {
            new ModelRename(tree, caller, flags)
                    .run(new ModelRename.Place(from, name), new ModelRename.Place(to, newName));
        }
    }

    @Override
    public synchronized Created create(
            Caller caller, long parentIno, Name name, int mode, int flags) {
        ModelNode parent = tree.directory(parentIno);
        ModelPermissions.require(caller, parent, ACCESS_EXECUTE);
        ModelNode node = parent.children.get(ModelNode.Key.of(name));
        if (node == null) {
            addable(caller, parentIno, name);
            node = tree.add(caller, parent, name, FileType.FILE, mode);
            return new Created(node.attributes(), opened(caller, node, flags));
        }
        if ((flags & O_EXCL) != 0) {
            throw new FsException(Errno.EEXIST, name + " exists");
        }
        OpenFile file = open(caller, node.ino, flags);
        return new Created(node.attributes(), file);
    }

    @Override
    public synchronized Created createUnnamed(Caller caller, long parentIno, int mode, int flags) {
        ModelNode parent = tree.directory(parentIno);
        ModelPermissions.requireAdd(caller, parent);
        ModelNode node = tree.make(caller, parent, FileType.FILE, mode);
        node.linkable = (flags & O_EXCL) == 0;
        return new Created(node.attributes(), opened(caller, node, flags));
    }

    @Override
    public synchronized Attributes createExclusive(
            Caller caller, long parentIno, Name name, int mode, long verifier) {
        ModelNode parent = tree.directory(parentIno);
        ModelPermissions.require(caller, parent, ACCESS_EXECUTE);
        ModelNode existing = parent.children.get(ModelNode.Key.of(name));
        if (existing != null && verifier != 0 && existing.verifier == verifier) {
            return existing.attributes();
        }
        addable(caller, parentIno, name);
        try (ModelChangeReport _ = new ModelChangeReport(caller, parent)) {
            ModelNode node = tree.add(caller, parent, name, FileType.FILE, mode);
            node.verifier = verifier;
            return node.attributes();
        }
    }

    @Override
    public synchronized OpenFile open(Caller caller, long ino, int flags) {
        ModelNode node = tree.node(ino);
        if (node.isDirectory()) {
            throw new FsException(Errno.EISDIR, "inode " + ino + " is a directory");
        }
        if (node.type == FileType.SYMLINK) {
            throw new FsException(Errno.ELOOP, "inode " + ino + " is a symbolic link");
        }
        ModelPermissions.requireOpen(caller, node, flags);
        if (node.type != FileType.FILE) {
            throw new FsException(Errno.ENXIO, "inode " + ino + " is a " + node.type);
        }
        if ((flags & O_TRUNC) != 0) {
            tree.truncate(caller, node, 0);
        }
        return opened(caller, node, flags);
    }

    private OpenFile opened(Caller caller, ModelNode node, int flags) {
        node.opens++;
        return new ModelFile(this, tree, node, caller, flags & ~(O_CREAT | O_EXCL | O_TRUNC));
    }

    @Override
    public synchronized DirectoryPage readDirectory(
            Caller caller, long ino, long cookie, int maxEntries, boolean withAttributes) {
        ModelNode directory = tree.directory(ino);
        ModelPermissions.require(caller, directory, ACCESS_READ);
        tree.touch(directory);
        List<DirectoryEntry> entries = new ArrayList<>();
        for (Map.Entry<ModelNode.Key, ModelNode> child : directory.children.entrySet()) {
            long at = child.getKey().cookie();
            if (at <= cookie) {
                continue;
            }
            if (entries.size() >= maxEntries && entries.getLast().cookie() != at) {
                return new DirectoryPage(entries, false);
            }
            ModelNode node = child.getValue();
            Attributes attributes = withAttributes ? node.attributes() : null;
            entries.add(
                    new DirectoryEntry(child.getKey().name(), at, node.ino, node.type, attributes));
        }
        return new DirectoryPage(entries, true);
    }

    @Override
    public synchronized byte[] getXattr(Caller caller, long ino, byte[] name) {
        ModelNode node = tree.node(ino);
        ModelPermissions.requireXattrRead(caller, node, name);
        return requireXattr(node, name).clone();
    }

    @Override
    public synchronized List<byte[]> listXattr(Caller caller, long ino) {
        return tree.node(ino).xattrs.keySet().stream()
                .filter(name -> ModelPermissions.showsXattr(caller, name))
                .map(name -> name.getBytes(StandardCharsets.ISO_8859_1))
                .toList();
    }

    @Override
    public synchronized void setXattr(
            Caller caller, long ino, byte[] name, byte[] value, int flags) {
        ModelNode node = tree.node(ino);
        if ((flags & ~(XATTR_CREATE | XATTR_REPLACE)) != 0) {
            throw new FsException(Errno.EINVAL, "unknown flags " + flags);
        }
        if (value.length > MAX_XATTR_BYTES) {
            throw new FsException(Errno.E2BIG, "attribute value of " + value.length + " bytes");
        }
        ModelPermissions.requireXattrWrite(caller, node, name);
        boolean exists = xattr(node, name) != null;
        if (exists && (flags & XATTR_CREATE) != 0) {
            throw new FsException(Errno.EEXIST, "the attribute exists");
        }
        if (!exists && (flags & XATTR_REPLACE) != 0) {
            throw new FsException(Errno.ENODATA);
        }
        node.xattrs.put(new String(name, StandardCharsets.ISO_8859_1), value.clone());
        tree.changed(node);
    }

    @Override
    public synchronized void removeXattr(Caller caller, long ino, byte[] name) {
        ModelNode node = tree.node(ino);
        ModelPermissions.requireXattrWrite(caller, node, name);
        requireXattr(node, name);
        node.xattrs.remove(new String(name, StandardCharsets.ISO_8859_1));
        tree.changed(node);
    }

    private static byte @Nullable [] xattr(ModelNode node, byte[] name) {
        return node.xattrs.get(new String(name, StandardCharsets.ISO_8859_1));
    }

    private static byte[] requireXattr(ModelNode node, byte[] name) {
        byte[] value = xattr(node, name);
        if (value == null) {
            throw new FsException(Errno.ENODATA);
        }
        return value;
    }

    @Override
    public synchronized Usage usage() {
        return tree.usage();
    }

    @Override
    public @Nullable Lock testLock(long ino, Lock wanted) {
        return locks.test(ino, wanted);
    }

    @Override
    public void setLock(long ino, Lock lock, long waitMs) {
        locks.set(ino, lock, waitMs);
        hostLocks.retry();
    }

    @Override
    public void releaseLocks(long ino, Lock.Kind kind, long owner) {
        locks.release(ino, kind, owner);
        hostLocks.retry();
    }

    @Override
    public HostLocks hostLocks() {
        return hostLocks;
    }

    @Override
    public void close() {
        // Nothing is buffered; the memory goes with the object.
    }
}
