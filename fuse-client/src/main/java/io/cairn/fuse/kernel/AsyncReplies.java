package io.cairn.fuse.kernel;

import io.cairn.fs.FileSystem;
import io.cairn.fs.OpenFile;
import io.cairn.fuse.loop.KernelView;
import io.cairn.fuse.loop.LoopThread;
import io.cairn.fuse.loop.MountState;
import io.cairn.fuse.loop.Request;
import io.cairn.fuse.loop.SignalledRequests;
import io.cairn.fuse.loop.SlowRequests;
import io.cairn.fuse.sys.Failures;
import io.cairn.fuse.sys.KernelProtocol;
import io.cairn.runtime.WaitCause;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Replies to requests whose thread has gone on to others: sent by whichever thread has the result.
 * Thread-safe.
 */
final class AsyncReplies {
    /** Room for the longest one, a header with a fuse_entry_out and a fuse_open_out. */
    private static final int REPLY_BYTES =
            KernelProtocol.OUT_HEADER_BYTES
                    + KernelProtocol.ENTRY_BYTES
                    + KernelProtocol.OPEN_BYTES;

    private final int fd;
    private final SignalledRequests signalled;
    private final KernelView view;
    private final SlowRequests slow;
    private final ReadWriteLock lock = new ReentrantReadWriteLock();
    private final ThreadLocal<MemorySegment> memory =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(REPLY_BYTES, 8));

    /** Guarded by the lock. */
    private boolean closed;

    /**
     * None yet.
     *
     * @param fd of {@code /dev/fuse}
     */
    AsyncReplies(int fd, SignalledRequests signalled, MountState state) {
        this.fd = fd;
        this.signalled = signalled;
        this.view = state.view();
        this.slow = state.slow();
    }

    /** Makes a reply of a result. */
    interface Body<T> {
        /**
         * Puts the body behind the header.
         *
         * @param reply address of the header
         * @return its length
         */
        int put(T result, long reply);
    }

    /**
     * Replies to the request of a thread when there is a result of what was begun, or of doing it
     * now when nothing was.
     *
     * @return what the request returns
     */
    <T> int answer(
            LoopThread thread,
            @Nullable CompletableFuture<T> begun,
            Supplier<T> now,
            Body<? super T> body) {
        if (begun == null) {
            return body.put(now.get(), thread.reply());
        }
        send(thread, begun, body);
        return KernelDriver.NO_REPLY;
    }

    /** The same without a body. */
    int answer(LoopThread thread, @Nullable CompletableFuture<Void> begun, Runnable now) {
        if (begun == null) {
            now.run();
            return 0;
        }
        send(thread, begun, (_, _) -> 0);
        return KernelDriver.NO_REPLY;
    }

    /** Replies to the request of a thread when there is a result; to null without a body. */
    private <T> void send(LoopThread thread, CompletableFuture<T> promise, Body<? super T> body) {
        long unique = thread.unique();
        Request request = thread.errand();
        if (request == null || promise.isDone()) {
            var _ =
                    promise.whenComplete(
                            (result, failure) -> {
                                send(unique, result, failure, body);
                                slow.done(request);
                            });
            return;
        }
        long sinceNs = request.clockNs();
        request.beginWait();
        signalled.add(request);
        var _ =
                promise.whenComplete(
                        (result, failure) -> {
                            signalled.remove(request);
                            request.count(WaitCause.MASTER, sinceNs);
                            if (request.finish()) {
                                send(unique, result, failure, body);
                                slow.done(request);
                            } else if (result instanceof FileSystem.Created created) {
                                close(created.file());
                            }
                        });
    }

    /** Of a process that was told that it was interrupted. Not here, as it may wait. */
    private static void close(OpenFile file) {
        Thread.ofVirtual().start(file::close);
    }

    private <T> void send(
            long unique, @Nullable T result, @Nullable Throwable failure, Body<? super T> body) {
        long reply = memory.get().address();
        int error = 0;
        int bodyBytes = 0;
        if (failure != null) {
            error = Failures.errno(failure);
        } else if (result != null) {
            try {
                bodyBytes = body.put(result, reply);
            } catch (Throwable e) {
                error = Failures.errno(e);
            }
        }
        lock.readLock().lock();
        try {
            if (!closed) {
                KernelProtocol.send(fd, reply, unique, error, bodyBytes);
            }
            view.told(error == 0);
        } finally {
            lock.readLock().unlock();
        }
    }

    /** Sends nothing any more: the mount is gone, and its descriptor may soon be another file. */
    void close() {
        lock.writeLock().lock();
        try {
            closed = true;
        } finally {
            lock.writeLock().unlock();
        }
    }
}
