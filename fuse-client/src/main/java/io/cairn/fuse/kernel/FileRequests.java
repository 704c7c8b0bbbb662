package io.cairn.fuse.kernel;

import static io.cairn.fuse.sys.RawMemory.getInt;
import static io.cairn.fuse.sys.RawMemory.getLong;
import static io.cairn.fuse.sys.RawMemory.putInt;
import static io.cairn.fuse.sys.RawMemory.putLong;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.AsyncChanges;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Lock;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.fuse.loop.Capabilities;
import io.cairn.fuse.loop.KernelNotices;
import io.cairn.fuse.loop.LoopThread;
import io.cairn.fuse.loop.MountState;
import io.cairn.fuse.loop.OpenFiles;
import io.cairn.fuse.sys.KernelProtocol;
import io.cairn.fuse.sys.RawMemory;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Requests of the kernel on files that are open or being opened. The form is that of {@link
 * NodeRequests}; all but open and create begin with the handle.
 */
final class FileRequests {
    private static final int FOPEN_DIRECT_IO = 1;
    private static final int FOPEN_KEEP_CACHE = 2;
    private static final int OPEN_KILL_PRIVILEGE = 1;
    private static final int WRITE_PAGE = 1;
    private static final int WRITE_KILL_PRIVILEGE = 4;
    private static final int RELEASE_FLOCK = 2;
    private static final int SYNC_DATA_ONLY = 1;
    private static final int LOCK_FLOCK = 1;
    private static final int SEEK_DATA = 3;
    private static final int SEEK_HOLE = 4;
    private static final int F_RDLCK = 0;
    private static final int F_WRLCK = 1;
    private static final int F_UNLCK = 2;
    private static final int WRITE_IN_BYTES = 40;

    /** Most that one answer tells: it fits into 32 bits, and ends where any chunk may end. */
    private static final long MAX_COPY_BYTES = (4L << 30) - (64 << 20);

    /** Flags of open(2) that mean something for a file without a name. */
    private static final int UNNAMED_FLAGS =
            FileSystem.O_ACCMODE | FileSystem.O_EXCL | FileSystem.O_APPEND | FileSystem.O_SYNC;

    private final FileSystem fileSystem;
    private final MountState state;
    private final OpenFiles files;
    private final Capabilities capabilities;
    private final NodeRequests nodes;
    private final AsyncReplies later;
    private final StaleOpens staleOpens = new StaleOpens(System::nanoTime);
    private final KernelNotices notices;

    FileRequests(
            MountState state,
            Capabilities capabilities,
            NodeRequests nodes,
            AsyncReplies later,
            KernelNotices notices) {
        this.later = later;
        this.fileSystem = state.fileSystem();
        this.state = state;
        this.files = state.files();
        this.capabilities = capabilities;
        this.nodes = nodes;
        this.notices = notices;
    }

    /**
     * fuse_open_in: +0 flags +4 open_flags.
     *
     * <p>Two rules make close-to-open hold. Pages are kept only when no client committed a change
     * since the kernel dropped them last. Attributes that it was told otherwise are taken back
     * before the process can ask for them. A file without a name that this mount does not have open
     * came from a stale entry: with ESTALE the kernel looks the name up again. So it does when it
     * would execute a program with rights that a write of another mount has taken away.
     */
    int open(LoopThread thread) {
        long in = thread.arguments();
        int flags = getInt(in);
        Caller caller = thread.caller();
        long ino = thread.node();
        boolean wasOpen = files.isOpen(ino);
        if ((flags & FileSystem.O_TRUNC) != 0) {
            beforeTruncate(caller, ino, getInt(in + 4));
        }
        long handle = files.open(caller, ino, flags);
        Attributes attributes = files.get(handle).attributes();
        if (attributes.nlink() == 0 && !wasOpen && staleOpens.shouldRetry(thread.process())) {
            files.release(handle, null);
            throw new FsException(Errno.ESTALE);
        }
        if (state.view().honours(attributes) && staleOpens.shouldRetry(thread.process())) {
            files.release(handle, null);
            throw new FsException(Errno.ESTALE);
        }
        state.view().refresh(attributes, notices::forgetAttributes);
        boolean keeps = files.keepsPages(handle, ino, attributes.version());
        int openFlags = appending(flags) | (keeps ? FOPEN_KEEP_CACHE : 0);
        KernelProtocol.putOpen(thread.reply() + 16, handle, openFlags);
        return KernelProtocol.OPEN_BYTES;
    }

    private void beforeTruncate(Caller caller, long ino, int openFlags) {
        capabilities.clear(caller, ino);
        if ((openFlags & OPEN_KILL_PRIVILEGE) != 0) {
            killPrivilege(caller, ino);
        }
    }

    private void killPrivilege(Caller caller, long ino) {
        AttributeChange change = AttributeChange.NONE.withBits(AttributeChange.KILL_PRIVILEGE);
        if ((fileSystem.getAttributes(caller, ino).mode() & 06000) != 0) {
            fileSystem.setAttributes(caller, ino, change);
            // The kernel expects no other mode after a write, and would go by the old one.
            notices.forgetAttributes(ino);
        }
    }

    /** The kernel would put appended bytes into its page cache where it thinks the end is. */
    private static int appending(int flags) {
        return (flags & FileSystem.O_APPEND) != 0 ? FOPEN_DIRECT_IO : 0;
    }

    /** fuse_create_in: +0 flags +4 mode +8 umask +12 open_flags +16 name. */
    int create(LoopThread thread) {
        long in = thread.arguments();
        int flags = getInt(in);
        int mode = nodes.masked(thread, getInt(in + 4), getInt(in + 8)) & 07777;
        Name name = Name.of(RawMemory.getString(in + 16, FileSystem.MAX_PATH_BYTES));
        long parentIno = thread.node();
        AsyncReplies.Body<FileSystem.Created> body =
                (created, reply) -> created(created, parentIno, name, flags, reply);
        Caller caller = thread.caller();
        AsyncChanges changes = fileSystem.async(caller);
        return later.answer(
                thread,
                changes == null ? null : changes.create(caller, parentIno, name, mode, flags),
                () -> fileSystem.create(caller, parentIno, name, mode, flags),
                body);
    }

    private int created(
            FileSystem.Created created, long parentIno, Name name, int flags, long reply) {
        OpenFile file = created.file();
        long handle = files.add(file);
        state.replaced().names().put(parentIno, name, file.ino());
        if ((flags & FileSystem.O_EXCL) != 0) {
            state.capabilities().sawNone(file.ino());
        }
        int entryBytes = nodes.entry(reply, created.attributes());
        KernelProtocol.putOpen(reply + 16 + entryBytes, handle, appending(flags));
        return entryBytes + KernelProtocol.OPEN_BYTES;
    }

    /** fuse_create_in, for a directory; the name behind it has no meaning. */
    int createUnnamed(LoopThread thread) {
        long in = thread.arguments();
        int flags = getInt(in);
        int mode = nodes.masked(thread, getInt(in + 4), getInt(in + 8)) & 07777;
        FileSystem.Created created =
                fileSystem.createUnnamed(
                        thread.caller(), thread.node(), mode, flags & UNNAMED_FLAGS);
        long handle = files.add(created.file());
        state.capabilities().sawNone(created.file().ino());
        int entryBytes = nodes.entry(thread.reply(), created.attributes());
        KernelProtocol.putOpen(thread.reply() + 16 + entryBytes, handle, appending(flags));
        return entryBytes + KernelProtocol.OPEN_BYTES;
    }

    /** fuse_read_in: +0 fh +8 offset +16 size. */
    int read(LoopThread thread) {
        long in = thread.arguments();
        int size = Math.min(getInt(in + 16), Negotiation.MAX_IO_BYTES);
        ByteBuffer target = thread.replySlice(thread.reply() + 16, size);
        return files.read(getLong(in), getLong(in + 8), target);
    }

    /**
     * fuse_write_in: +0 fh +8 offset +16 size +20 write_flags +24 lock_owner +32 flags +40 bytes;
     * fuse_write_out: +0 size.
     *
     * <p>The flags are those of the file now, not at its open: whether to append is asked of them.
     * Pages of a memory map come without flags, and belong where they are. They take no
     * capabilities away, as on every Linux filesystem. To ask for these would be wrong, too:
     * msync(2) waits for its pages without hearing of signals, so nobody could kill the process
     * while no master answers.
     */
    int write(LoopThread thread) {
        long in = thread.arguments();
        long handle = getLong(in);
        int writeFlags = getInt(in + 20);
        Caller caller = thread.caller();
        long ino = thread.node();
        boolean isPage = (writeFlags & WRITE_PAGE) != 0;
        if (!isPage) {
            capabilities.clear(caller, ino);
        }
        if ((writeFlags & WRITE_KILL_PRIVILEGE) != 0) {
            killPrivilege(caller, ino);
        }
        ByteBuffer source = thread.slice(in + WRITE_IN_BYTES, getInt(in + 16));
        long offset = getLong(in + 8);
        boolean append = !isPage && (getInt(in + 32) & FileSystem.O_APPEND) != 0;
        OpenFile file = files.toWrite(handle);
        int count = file.write(offset, source, append);
        if (append && (file.flags() & FileSystem.O_APPEND) == 0) {
            forgetPages(ino);
        }
        putLong(thread.reply() + 16, count);
        return 8;
    }

    /**
     * The kernel has put into its pages, where it thinks the end is, what was appended to a file
     * that was not opened for that. It holds these pages until the write is answered.
     */
    private void forgetPages(long ino) {
        Thread.ofPlatform().daemon().name("fuse-forget-" + ino).start(() -> notices.dropPages(ino));
    }

    /** fuse_flush_in: +0 fh +16 lock_owner. */
    int flush(LoopThread thread) {
        long in = thread.arguments();
        long handle = getLong(in);
        long owner = getLong(in + 16);
        long ino = thread.node();
        CompletableFuture<Void> begun = files.beginFlush(handle, owner);
        boolean written = files.takeWritten(handle);
        if (begun != null && written) {
            begun = begun.whenComplete((_, _) -> notices.forgetAttributes(ino));
        }
        return later.answer(
                thread, begun, () -> committing(ino, written, () -> files.flush(handle, owner)));
    }

    /**
     * Commits what was written. That sets times and blocks, which the kernel may have been told as
     * they were before.
     */
    private void committing(long ino, boolean written, Runnable commit) {
        try {
            commit.run();
        } finally {
            if (written) {
                notices.forgetAttributes(ino);
            }
        }
    }

    /** fuse_release_in: +0 fh +8 flags +12 release_flags +16 lock_owner. */
    int release(LoopThread thread) {
        long in = thread.arguments();
        boolean unlocks = (getInt(in + 12) & RELEASE_FLOCK) != 0;
        long handle = getLong(in);
        @Nullable Long flockOwner = unlocks ? getLong(in + 16) : null;
        boolean written = files.takeWritten(handle);
        committing(thread.node(), written, () -> files.release(handle, flockOwner));
        return 0;
    }

    /** fuse_fsync_in: +0 fh +8 fsync_flags. */
    int sync(LoopThread thread) {
        long in = thread.arguments();
        long handle = getLong(in);
        boolean dataOnly = (getInt(in + 8) & SYNC_DATA_ONLY) != 0;
        boolean written = files.takeWritten(handle);
        committing(thread.node(), written, () -> files.get(handle).sync(dataOnly));
        return 0;
    }

    /** fuse_fallocate_in: +0 fh +8 offset +16 length +24 mode. */
    int allocate(LoopThread thread) {
        long in = thread.arguments();
        Caller caller = thread.caller();
        capabilities.clear(caller, thread.node());
        if (caller.uid() != 0) {
            // Of all changes of the contents the kernel says nothing with this one.
            killPrivilege(caller, thread.node());
        }
        files.toWrite(getLong(in)).allocate(getInt(in + 24), getLong(in + 8), getLong(in + 16));
        return 0;
    }

    /**
     * fuse_copy_file_range_in: +0 fh_in +8 off_in +16 nodeid_out +24 fh_out +32 off_out +40 len +48
     * flags; fuse_write_out: +0 size, and the longer fuse_copy_file_range_out: +0 bytes_copied.
     *
     * <p>The kernel has written its pages of both ranges, and drops those of the target.
     */
    int copy(LoopThread thread) {
        long in = thread.arguments();
        if (getLong(in + 48) != 0) {
            throw new FsException(Errno.EINVAL, "flags of copy_file_range");
        }
        Caller caller = thread.caller();
        long targetNode = getLong(in + 16);
        capabilities.clear(caller, targetNode);
        if (caller.uid() != 0) {
            // As for fallocate.
            killPrivilege(caller, targetNode);
        }
        OpenFile source = files.get(getLong(in));
        long askedBytes = getLong(in + 40);
        long lengthBytes =
                Long.compareUnsigned(askedBytes, MAX_COPY_BYTES) > 0 ? MAX_COPY_BYTES : askedBytes;
        long copiedBytes =
                files.toWrite(getLong(in + 24))
                        .copyFrom(source, getLong(in + 8), getLong(in + 32), lengthBytes);
        putLong(thread.reply() + 16, copiedBytes);
        return 8;
    }

    /** fuse_lseek_in: +0 fh +8 offset +16 whence; fuse_lseek_out: +0 offset. */
    int seek(LoopThread thread) {
        long in = thread.arguments();
        int whence = getInt(in + 16);
        if (whence != SEEK_DATA && whence != SEEK_HOLE) {
            throw new FsException(Errno.EINVAL);
        }
        long found = files.get(getLong(in)).seek(getLong(in + 8), whence == SEEK_DATA);
        putLong(thread.reply() + 16, found);
        return 8;
    }

    /** fuse_lk_in: +0 fh +8 owner +16 start +24 end +32 type +36 pid +40 lk_flags. */
    private static Lock lock(long in) {
        Lock.Mode mode =
                switch (getInt(in + 32)) {
                    case F_RDLCK -> Lock.Mode.SHARED;
                    case F_WRLCK -> Lock.Mode.EXCLUSIVE;
                    case F_UNLCK -> Lock.Mode.UNLOCK;
                    default -> throw new FsException(Errno.EINVAL);
                };
        boolean flock = (getInt(in + 40) & LOCK_FLOCK) != 0;
        return new Lock(
                flock ? Lock.Kind.FLOCK : Lock.Kind.POSIX,
                mode,
                getLong(in + 8),
                flock ? 0 : getLong(in + 16),
                flock ? Lock.TO_END : getLong(in + 24),
                getInt(in + 36));
    }

    int setLock(LoopThread thread, boolean waits) {
        long in = thread.arguments();
        int result = files.lock(thread, getLong(in), lock(in), waits);
        if (result != 0) {
            throw new FsException(Errno.EAGAIN);
        }
        return 0;
    }

    /** fuse_lk_out: +0 start +8 end +16 type +20 pid. */
    int testLock(LoopThread thread) {
        long in = thread.arguments();
        Lock other = files.testLock(getLong(in), lock(in));
        long out = thread.reply() + 16;
        RawMemory.zero(out, 24);
        if (other == null) {
            putInt(out + 16, F_UNLCK);
        } else {
            putLong(out, other.startByte());
            putLong(out + 8, other.endByte());
            putInt(out + 16, other.mode() == Lock.Mode.SHARED ? F_RDLCK : F_WRLCK);
            putInt(out + 20, other.pid());
        }
        return 24;
    }
}
