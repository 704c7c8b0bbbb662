package io.cairn.client;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.ClientMetrics.Operation;
import io.cairn.client.file.ContentReader;
import io.cairn.client.file.ContentWriter;
import io.cairn.client.file.OpenInode;
import io.cairn.client.session.Await;
import io.cairn.client.session.Promises;
import io.cairn.client.tree.Permissions;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileWatch;
import io.cairn.fs.OpenFile;
import io.cairn.runtime.PendingRequest;
import io.cairn.runtime.WaitCause;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** An open file of this client; what several of one inode share is in {@link OpenInode}. */
public final class ClientFile implements OpenFile {
    private static final int KEEP_SIZE = 1;

    private final CairnFileSystem fs;
    private final OpenInode state;
    private final ContentReader reader;
    private final ContentWriter writer;
    private final Caller caller;
    private final int flags;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final ReportedErrors reported;

    /** A copy comes in many pieces: after a refusal the others are not asked for. */
    private volatile boolean sharesNothing;

    ClientFile(CairnFileSystem fs, OpenInode state, Caller caller, int flags) {
        this.fs = fs;
        this.state = state;
        this.reader = new ContentReader(state);
        this.writer = new ContentWriter(state);
        this.caller = caller;
        this.flags = flags;
        this.reported = new ReportedErrors(state.errorCount());
    }

    public OpenInode state() {
        return state;
    }

    @Override
    public long ino() {
        return state.ino();
    }

    @Override
    public int flags() {
        return flags;
    }

    @Override
    public Attributes attributes() {
        return fs.attributesOf(state);
    }

    @Override
    public long changedByOthers() {
        return fs.changedByOthers(state);
    }

    @Override
    public int read(long offsetBytes, ByteBuffer target) {
        requireOpen();
        if ((flags & FileSystem.O_ACCMODE) == FileSystem.O_WRONLY) {
            throw new FsException(Errno.EBADF, "not open for reading");
        }
        int count =
                fs.metrics()
                        .time(Operation.READ, state.ino(), () -> reader.read(offsetBytes, target));
        if (count > 0) {
            fs.accessed(state);
        }
        return count;
    }

    @Override
    public int write(long offsetBytes, ByteBuffer source) {
        return write(offsetBytes, source, (flags & FileSystem.O_APPEND) != 0);
    }

    @Override
    public int write(long offsetBytes, ByteBuffer source, boolean append) {
        requireWritable();
        reportTo(ReportedErrors.Call.WRITE);
        int count = source.remaining();
        if (count == 0) {
            return 0;
        }
        fs.metrics().run(Operation.WRITE, state.ino(), () -> put(offsetBytes, source, append));
        return count;
    }

    /**
     * EPERM for an immutable file, and for writing elsewhere than at the end of an append-only one
     * that was opened for that. Who had it open before goes on, as on ext4.
     */
    private void requireAllowed(boolean append) {
        Attributes known = state.inode().attributes();
        Permissions.requireMutable(known);
        if (!append && (flags & FileSystem.O_APPEND) != 0) {
            Permissions.requireNoAppend(known);
        }
    }

    private void put(long offsetBytes, ByteBuffer source, boolean append) {
        if (!append && fs.mount().master().session().isConnected()) {
            // Else it is taken, and reported should the file turn out to be cut.
            state.doubts().settle();
        }
        requireAllowed(append);
        fs.beforeWrite(state, caller);
        if (append) {
            state.appends().begin();
            try {
                state.doubts().settle();
                requireAllowed(true);
                prepare(state.size(), source);
                writer.append(source);
            } finally {
                state.appends().end();
            }
        } else {
            prepare(offsetBytes, source);
            writer.write(offsetBytes, source);
        }
        if ((flags & FileSystem.O_DSYNC) != 0) {
            sync((flags & FileSystem.O_SYNC) != FileSystem.O_SYNC);
        }
    }

    private void prepare(long offset, ByteBuffer source) {
        long end = offset + source.remaining();
        fs.ensureStorage(state, end);
        state.growth().beforeWrite(offset, end);
    }

    @Override
    public void flush() {
        requireOpen();
        if (isWritable()) {
            fs.metrics().run(Operation.FLUSH, state.ino(), this::commit);
        }
    }

    @Override
    public @Nullable CompletableFuture<Void> beginFlush() {
        requireOpen();
        if (!isWritable() || !state.commitsInOneCall()) {
            return null;
        }
        return fs.metrics().begin(Operation.FLUSH, () -> state.commit().handle(this::told));
    }

    private @Nullable Void told(@Nullable Void ignored, @Nullable Throwable failure) {
        reportTo(ReportedErrors.Call.CLOSE);
        if (failure != null) {
            throw Await.failure(failure);
        }
        return null;
    }

    @Override
    public FileWatch watch() {
        requireOpen();
        fs.attributesOf(state);
        return state.watch();
    }

    /** Tells the master what was written here, whoever wrote it; blocks. */
    void commit() {
        reporting(ReportedErrors.Call.CLOSE, state::commitAndWait);
    }

    /** Does what may find out errors of earlier writes, which are thrown rather than its own. */
    private void reporting(ReportedErrors.Call kind, Runnable call) {
        FsException unnoted = null;
        try {
            call.run();
        } catch (FsException e) {
            unnoted = e;
        }
        reportTo(kind);
        if (unnoted != null) {
            throw unnoted;
        }
    }

    @Override
    public void sync(boolean dataOnly) {
        requireOpen();
        fs.metrics().run(Operation.FSYNC, state.ino(), this::makeDurable);
    }

    private void makeDurable() {
        reporting(ReportedErrors.Call.SYNC, this::store);
    }

    /**
     * As fsync(2). The commit may find that the contents moved to chunks, and puts what was written
     * there then: that is made durable, too.
     */
    private void store() {
        long timeoutMs = state.drainTimeoutMs() + fs.mount().timeoutMs();
        CompletableFuture<Void> stored = Promises.then(state.drain(), _ -> state.flushChunks());
        CompletableFuture<Void> told =
                Promises.then(stored, PendingRequest.counted(WaitCause.MASTER, state::commit));
        CompletableFuture<Void> all = Promises.then(told, _ -> state.flushChunks());
        Await.get(all, timeoutMs, WaitCause.CHUNKS);
    }

    /** Throws a write error that this open file has to tell in such a call. */
    private void reportTo(ReportedErrors.Call call) {
        if (reported.isDue(call, state.errorCount())) {
            throw state.lastError();
        }
    }

    @Override
    public void allocate(int mode, long offsetBytes, long lengthBytes) {
        beforeChange((mode & ~KEEP_SIZE) != 0);
        fs.contents().allocate(state, mode, offsetBytes, lengthBytes);
    }

    /** The file is at least this long afterwards; what is new is a hole. */
    void extend(long sizeBytes) {
        beforeChange(false);
        fs.contents().extendByHole(state, sizeBytes);
    }

    /** Before contents are changed otherwise than by a write; inside, or only at the end. */
    void beforeChange(boolean isInside) {
        requireWritable();
        state.doubts().look();
        requireAllowed(true);
        if (isInside) {
            Permissions.requireNoAppend(state.inode().attributes());
        }
        fs.beforeWrite(state, caller);
    }

    @Override
    public long copyFrom(OpenFile source, long fromBytes, long toBytes, long lengthBytes) {
        requireWritable();
        requireCopy(source, fromBytes, toBytes, lengthBytes);
        if (lengthBytes == 0 || !(source instanceof ClientFile from)) {
            return OpenFile.super.copyFrom(source, fromBytes, toBytes, lengthBytes);
        }
        from.requireOpen();
        if (fromBytes == toBytes && !sharesNothing) {
            ChunkSharing sharing = new ChunkSharing(fs, from, this);
            long sharedBytes = sharing.share(toBytes, lengthBytes);
            sharesNothing = sharing.isRefused();
            if (sharedBytes > 0) {
                return sharedBytes;
            }
        }
        return new RangeCopy(from, this, lengthBytes).copy(fromBytes, toBytes, lengthBytes);
    }

    @Override
    public long seek(long offsetBytes, boolean data) {
        requireOpen();
        return fs.contents().seek(state, offsetBytes, data);
    }

    private void requireOpen() {
        if (closed.get()) {
            throw new FsException(Errno.EBADF, "the file is closed");
        }
    }

    private void requireWritable() {
        requireOpen();
        if (!isWritable()) {
            throw new FsException(Errno.EBADF, "not open for writing");
        }
    }

    private boolean isWritable() {
        return (flags & FileSystem.O_ACCMODE) != FileSystem.O_RDONLY;
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        try {
            if (isWritable()) {
                fs.metrics().run(Operation.CLOSE, state.ino(), this::commit);
            }
        } finally {
            reader.close();
            fs.closed(this);
        }
    }
}
