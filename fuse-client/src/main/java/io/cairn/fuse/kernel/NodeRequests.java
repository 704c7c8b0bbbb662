package io.cairn.fuse.kernel;

import static io.cairn.fuse.sys.RawMemory.getInt;
import static io.cairn.fuse.sys.RawMemory.getLong;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Acl;
import io.cairn.fs.AsyncChanges;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.fuse.loop.Capabilities;
import io.cairn.fuse.loop.CapabilityMemory;
import io.cairn.fuse.loop.KernelNotices;
import io.cairn.fuse.loop.LoopThread;
import io.cairn.fuse.loop.MountState;
import io.cairn.fuse.loop.ReplacedFiles;
import io.cairn.fuse.sys.KernelProtocol;
import io.cairn.fuse.sys.RawMemory;
import io.cairn.fuse.sys.StatLayout;
import io.cairn.fuse.sys.Xattrs;
import java.nio.charset.StandardCharsets;

/**
 * Requests of the kernel that go by node number, which is the inode number. Each takes its
 * arguments from the request of the thread, puts its answer into the memory for the reply and
 * returns its length; failures are thrown.
 *
 * <p>Nothing counts what the kernel remembers: inode numbers are unique for ever, and who comes
 * back with an old one gets ESTALE. But what lost its last name is kept until the kernel forgets
 * it.
 */
final class NodeRequests {
    private static final int SET_MODE = 1;
    private static final int SET_UID = 1 << 1;
    private static final int SET_GID = 1 << 2;
    private static final int SET_SIZE = 1 << 3;
    private static final int SET_ATIME = 1 << 4;
    private static final int SET_MTIME = 1 << 5;
    private static final int SET_ATIME_NOW = 1 << 7;
    private static final int SET_MTIME_NOW = 1 << 8;
    private static final int SET_KILL_PRIVILEGE = 1 << 11;
    private static final int MAX_STRING_BYTES = FileSystem.MAX_PATH_BYTES;

    private final FileSystem fileSystem;
    private final MountState state;
    private final Capabilities capabilities;
    private final AsyncReplies later;
    private final long entryMs;
    private final long attributeMs;
    private final KernelNotices notices;

    NodeRequests(
            MountState state,
            Capabilities capabilities,
            AsyncReplies later,
            long attributeMs,
            KernelNotices notices) {
        this.fileSystem = state.fileSystem();
        this.later = later;
        this.state = state;
        this.capabilities = capabilities;
        this.entryMs = state.options().entryTimeoutMs();
        this.attributeMs = attributeMs;
        this.notices = notices;
    }

    /** The kernel drops an inode, whatever count of look-ups it tells: fuse_forget_in. */
    int forget(LoopThread thread) {
        fileSystem.forgotten(thread.node());
        return KernelDriver.NO_REPLY;
    }

    /** fuse_batch_forget_in: +0 count; from +8 on, each 16 bytes: +0 nodeid +8 nlookup. */
    int forgetMany(LoopThread thread) {
        long in = thread.arguments();
        int count = getInt(in);
        for (int i = 0; i < count; i++) {
            fileSystem.forgotten(thread.inoOf(getLong(in + 8 + 16L * i)));
        }
        return KernelDriver.NO_REPLY;
    }

    private static Name name(long address) {
        return Name.of(RawMemory.getString(address, MAX_STRING_BYTES));
    }

    /** Answers with a fuse_entry_out. */
    int entry(LoopThread thread, Attributes attributes) {
        return entry(thread.reply(), attributes);
    }

    /** The same, in the memory for another reply. */
    int entry(long reply, Attributes attributes) {
        KernelProtocol.putEntry(reply + 16, attributes, entryMs, keptMs(attributes));
        if (attributes.ino() == state.rootIno()) {
            // Under another number the kernel would look for a way from there to its own root.
            KernelProtocol.putRoot(reply + 16);
        }
        return KernelProtocol.ENTRY_BYTES;
    }

    /** How long the kernel may keep attributes that it is told now. */
    private long keptMs(Attributes attributes) {
        return state.view().tells(attributes) ? attributeMs : 0;
    }

    private int changed(Attributes attributes, long reply) {
        long keptMs = state.view().tellsOfChange(attributes) ? attributeMs : 0;
        return attributes(attributes, reply, keptMs);
    }

    private static int attributes(Attributes attributes, long reply, long keptMs) {
        KernelProtocol.putAttributesOut(reply + 16, attributes, keptMs);
        return KernelProtocol.ATTRIBUTES_BYTES;
    }

    /** Also {@code .} and {@code ..}, by which an NFS server of the kernel finds its way. */
    int lookup(LoopThread thread) {
        Caller caller = thread.caller();
        byte[] bytes = RawMemory.getString(thread.arguments(), MAX_STRING_BYTES);
        if (bytes.length == 1 && bytes[0] == '.') {
            return entry(thread, fileSystem.getAttributes(caller, thread.node()));
        }
        if (bytes.length == 2 && bytes[0] == '.' && bytes[1] == '.') {
            long parent = fileSystem.parent(thread.node());
            return entry(thread, fileSystem.getAttributes(caller, parent));
        }
        Name name = Name.of(bytes);
        Attributes found = fileSystem.lookup(caller, thread.node(), name);
        see(thread.node(), name, found);
        return entry(thread, state.files().current(caller, found));
    }

    private void see(long parentIno, Name name, Attributes found) {
        if (found.isFile()) {
            state.replaced().names().put(parentIno, name, found.ino());
        }
    }

    /**
     * The mode of a new inode in the directory of the request: without what the umask takes, unless
     * a list is inherited there, which says it all (acl(5)). The directory is asked only where this
     * makes a difference.
     */
    int masked(LoopThread thread, int mode, int umask) {
        if ((mode & umask) == 0
                || fileSystem.getAttributes(thread.caller(), thread.node()).acls().inherited()
                        != null) {
            return mode;
        }
        return mode & ~umask;
    }

    int getattr(LoopThread thread) {
        Attributes found = fileSystem.getAttributes(thread.caller(), thread.node());
        return attributes(found, thread.reply(), keptMs(found));
    }

    /** The answer to getattr, and the time of birth. */
    int statx(LoopThread thread) {
        Attributes attributes = fileSystem.getAttributes(thread.caller(), thread.node());
        KernelProtocol.putStatx(thread.reply() + 16, attributes, keptMs(attributes));
        return KernelProtocol.STATX_BYTES;
    }

    /**
     * Sets any attributes.
     *
     * <pre>
     *   fuse_setattr_in  +0 valid +8 fh +16 size +24 lock_owner +32 atime +40 mtime +48 ctime
     *                    +56 atimensec +60 mtimensec +64 ctimensec +68 mode +76 uid +80 gid
     * </pre>
     */
    int setattr(LoopThread thread) {
        long in = thread.arguments();
        int valid = getInt(in);
        AttributeChange change = AttributeChange.NONE;
        if ((valid & SET_MODE) != 0) {
            change = change.withMode(getInt(in + 68) & 07777);
        }
        if ((valid & SET_UID) != 0) {
            change = change.withUid(getInt(in + 76));
        }
        if ((valid & SET_GID) != 0) {
            change = change.withGid(getInt(in + 80));
        }
        if ((valid & SET_SIZE) != 0) {
            change = change.withSize(getLong(in + 16));
        }
        change = withTimes(change, valid, in);
        Caller caller = thread.caller();
        long ino = thread.node();
        if ((valid & SET_KILL_PRIVILEGE) != 0 || isChownOfFile(caller, ino, valid)) {
            change = change.withBits(AttributeChange.KILL_PRIVILEGE);
        }
        if ((valid & (SET_SIZE | SET_UID | SET_GID)) != 0) {
            capabilities.clear(caller, ino);
        }
        return set(thread, caller, change);
    }

    private int set(LoopThread thread, Caller caller, AttributeChange change) {
        long ino = thread.node();
        AsyncChanges changes = change.has(AttributeChange.SIZE) ? null : fileSystem.async(caller);
        return later.answer(
                thread,
                changes == null ? null : changes.setAttributes(caller, ino, change),
                () -> fileSystem.setAttributes(caller, ino, change),
                this::changed);
    }

    /** A kernel that leaves setuid and setgid to the filesystem does not say so with chown. */
    private boolean isChownOfFile(Caller caller, long ino, int valid) {
        return (valid & (SET_UID | SET_GID)) != 0
                && !fileSystem.getAttributes(caller, ino).isDirectory();
    }

    private static AttributeChange withTimes(AttributeChange change, int valid, long in) {
        AttributeChange changed = change;
        if ((valid & SET_ATIME_NOW) != 0) {
            changed = changed.withAtime(0).withBits(AttributeChange.ATIME_NOW);
        } else if ((valid & SET_ATIME) != 0) {
            changed = changed.withAtime(StatLayout.timeNs(getLong(in + 32), getInt(in + 56)));
        }
        if ((valid & SET_MTIME_NOW) != 0) {
            changed = changed.withMtime(0).withBits(AttributeChange.MTIME_NOW);
        } else if ((valid & SET_MTIME) != 0) {
            changed = changed.withMtime(StatLayout.timeNs(getLong(in + 40), getInt(in + 60)));
        }
        return changed;
    }

    int readlink(LoopThread thread) {
        byte[] target = fileSystem.readlink(thread.caller(), thread.node());
        RawMemory.putBytes(thread.reply() + 16, target);
        return target.length;
    }

    int symlink(LoopThread thread) {
        long in = thread.arguments();
        Name name = name(in);
        byte[] target = RawMemory.getString(in + name.length() + 1, MAX_STRING_BYTES);
        return entry(thread, fileSystem.symlink(thread.caller(), thread.node(), name, target));
    }

    /** fuse_mknod_in: +0 mode +4 rdev +8 umask +16 name. */
    int mknod(LoopThread thread) {
        long in = thread.arguments();
        int mode = masked(thread, getInt(in), getInt(in + 8));
        FileType type = FileType.ofMode(mode);
        if (type == null || type == FileType.DIRECTORY || type == FileType.SYMLINK) {
            throw new FsException(Errno.EINVAL);
        }
        Name name = name(in + 16);
        long rdev = Integer.toUnsignedLong(getInt(in + 4));
        Caller caller = thread.caller();
        return entry(
                thread, fileSystem.mknod(caller, thread.node(), name, type, mode & 07777, rdev));
    }

    /** fuse_mkdir_in: +0 mode +4 umask +8 name. */
    int mkdir(LoopThread thread) {
        long in = thread.arguments();
        int mode = masked(thread, getInt(in), getInt(in + 4)) & 07777;
        Name name = name(in + 8);
        Caller caller = thread.caller();
        long parentIno = thread.node();
        AsyncChanges changes = fileSystem.async(caller);
        return later.answer(
                thread,
                changes == null ? null : changes.mkdir(caller, parentIno, name, mode),
                () -> fileSystem.mkdir(caller, parentIno, name, mode),
                (made, reply) -> entry(reply, made));
    }

    int unlink(LoopThread thread) {
        Name name = name(thread.arguments());
        Caller caller = thread.caller();
        long parentIno = thread.node();
        Runnable forget = () -> state.replaced().names().remove(parentIno, name);
        AsyncChanges changes = fileSystem.async(caller);
        return later.answer(
                thread,
                changes == null ? null : changes.unlink(caller, parentIno, name).thenRun(forget),
                () -> {
                    fileSystem.unlink(caller, parentIno, name);
                    forget.run();
                });
    }

    int rmdir(LoopThread thread) {
        Name name = name(thread.arguments());
        Caller caller = thread.caller();
        long parentIno = thread.node();
        AsyncChanges changes = fileSystem.async(caller);
        return later.answer(
                thread,
                changes == null ? null : changes.rmdir(caller, parentIno, name),
                () -> fileSystem.rmdir(caller, parentIno, name));
    }

    /** fuse_rename_in: +0 newdir +8 names. */
    int rename(LoopThread thread) {
        return rename(thread, thread.arguments() + 8, 0);
    }

    /** fuse_rename2_in: +0 newdir +8 flags +16 names. */
    int renameWithFlags(LoopThread thread) {
        int flags = getInt(thread.arguments() + 8);
        int known =
                FileSystem.RENAME_NOREPLACE
                        | FileSystem.RENAME_EXCHANGE
                        | FileSystem.RENAME_WHITEOUT;
        if ((flags & ~known) != 0) {
            throw new FsException(Errno.EINVAL, "unknown flag of renameat2");
        }
        return rename(thread, thread.arguments() + 16, flags);
    }

    private int rename(LoopThread thread, long names, int flags) {
        Name from = name(names);
        Name to = name(names + from.length() + 1);
        long newParent = thread.inoOf(getLong(thread.arguments()));
        long parent = thread.node();
        Caller caller = thread.caller();
        ReplacedFiles replaced = state.replaced();
        if (flags == 0) {
            return later.answer(
                    thread,
                    replaced.beginRename(caller, parent, from, newParent, to),
                    () -> replaced.rename(caller, parent, from, newParent, to));
        }
        fileSystem.rename(caller, parent, from, newParent, to, flags);
        replaced.names().remove(parent, from);
        replaced.names().remove(newParent, to);
        return 0;
    }

    /** fuse_link_in: +0 oldnodeid +8 name. */
    int link(LoopThread thread) {
        long in = thread.arguments();
        Caller caller = thread.caller();
        Name name = name(in + 8);
        Attributes linked = fileSystem.link(caller, getLong(in), thread.node(), name);
        see(thread.node(), name, linked);
        return entry(thread, state.files().current(caller, linked));
    }

    int access(LoopThread thread) {
        fileSystem.access(thread.caller(), thread.node(), getInt(thread.arguments()));
        return 0;
    }

    int statfs(LoopThread thread) {
        return KernelProtocol.putStatfs(thread.reply() + 16, fileSystem.usage(thread.node()));
    }

    /** fuse_setxattr_in: +0 size +4 flags +8 name and value. */
    int setxattr(LoopThread thread) {
        long in = thread.arguments();
        byte[] name = RawMemory.getString(in + 8, MAX_STRING_BYTES);
        byte[] value = RawMemory.getBytes(in + 8 + name.length + 1, getInt(in));
        long ino = thread.node();
        state.capabilities().forget(ino);
        fileSystem.setXattr(thread.caller(), ino, name, value, getInt(in + 4));
        state.capabilities().forget(ino);
        if (new String(name, StandardCharsets.ISO_8859_1).equals(Acl.ACCESS_ATTRIBUTE)) {
            state.dropSetgid(thread, ino);
            // The mode has changed with it, which the kernel does not think of.
            notices.forgetAttributes(ino);
        }
        return 0;
    }

    /** fuse_getxattr_in: +0 size +8 name. */
    int getxattr(LoopThread thread) {
        long in = thread.arguments();
        byte[] name = RawMemory.getString(in + 8, MAX_STRING_BYTES);
        byte[] value;
        if (CapabilityMemory.isCapability(name)) {
            value = capabilities.get(thread.caller(), thread.node());
        } else if (state.slow().isName(name)) {
            value = state.slow().told(thread.caller(), thread.errand());
        } else {
            value = fileSystem.getXattr(thread.caller(), thread.node(), name);
        }
        return sized(thread, value);
    }

    int listxattr(LoopThread thread) {
        return sized(thread, Xattrs.join(fileSystem.listXattr(thread.caller(), thread.node())));
    }

    /** A size of 0 asks for the length: fuse_getxattr_out: +0 size. */
    private static int sized(LoopThread thread, byte[] bytes) {
        int size = getInt(thread.arguments());
        long out = thread.reply() + 16;
        if (size == 0) {
            RawMemory.putLong(out, bytes.length);
            return 8;
        }
        if (bytes.length > size) {
            throw new FsException(Errno.ERANGE);
        }
        RawMemory.putBytes(out, bytes);
        return bytes.length;
    }

    int removexattr(LoopThread thread) {
        byte[] name = RawMemory.getString(thread.arguments(), MAX_STRING_BYTES);
        fileSystem.removeXattr(thread.caller(), thread.node(), name);
        return 0;
    }
}
