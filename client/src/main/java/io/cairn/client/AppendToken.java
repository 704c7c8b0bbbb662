package io.cairn.client;

import io.cairn.fs.Errno;
import io.cairn.fs.FsException;
import io.cairn.fs.Lock;
import io.cairn.wire.Query;
import io.cairn.wire.Reply;
import io.cairn.wire.SessionMutation;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The right of this mount to extend one file by O_APPEND writes. Taken from the master with the
 * first such write and kept, so that later ones cost nothing; given back, after the size was
 * committed, when another client wants it or the file is closed.
 *
 * <p>Appends of one mount go one after the other: the lock is held from reading the size to
 * buffering the last byte, so a record is never torn. Who appends waits for it; a recall does not.
 * Its fields are guarded by the monitor of the inode. Each token is an owner of its own, so that
 * the late release of one never frees its successor's.
 */
final class AppendToken {
    /** How often the session may end while the token is being taken. */
    private static final int MAX_TRIES = 3;

    private final InodeState state;
    private final Mount mount;
    private final FileLocks locks;
    private final long owner;
    private final ReentrantLock order = new ReentrantLock();
    private boolean held;
    private boolean recalled;
    private boolean fetching;
    private boolean writing;
    private int losses;

    /** Whether nothing of another holder can land among ours; of who holds the order. */
    private boolean fenced;

    private CompletableFuture<Void> releasing = Promises.DONE;

    AppendToken(InodeState state, Mount mount, FileLocks locks) {
        this.state = state;
        this.mount = mount;
        this.locks = locks;
        this.owner = locks.newOwner();
    }

    /** Takes the right to append now; blocks. End with {@link #endWrite}. */
    void beginWrite() {
        begin(false);
        try {
            if (!fenced) {
                state.tail().beforeAppends();
                synchronized (state) {
                    fenced = held;
                }
            }
        } catch (RuntimeException e) {
            endWrite();
            throw e;
        }
    }

    private void begin(boolean look) {
        boolean mine = false;
        try {
            mine = order.tryLock(mount.timeoutMs(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FsException(Errno.EINTR, "interrupted while waiting to append", e);
        }
        if (!mine) {
            throw new FsException(Errno.ETIMEDOUT, "another append takes too long");
        }
        try {
            if (!claim()) {
                fetch(look);
            }
        } catch (RuntimeException e) {
            order.unlock();
            throw e;
        }
    }

    private boolean claim() {
        synchronized (state) {
            if (held && !recalled && mount.master().session().leaseRuns()) {
                writing = true;
                return true;
            }
            return false;
        }
    }

    private void fetch(boolean look) {
        CompletableFuture<Void> before;
        synchronized (state) {
            before = held ? release() : releasing;
            fetching = true;
        }
        try {
            Await.get(before, 2 * mount.timeoutMs());
            take();
        } finally {
            synchronized (state) {
                fetching = false;
            }
        }
        if (!look) {
            return;
        }
        try {
            Reply.EntryReply entry =
                    Await.expect(
                            mount.master().ask(new Query.GetInode(state.ino())),
                            Reply.EntryReply.class);
            state.adopt(entry.inode());
        } catch (FsException e) {
            synchronized (state) {
                writing = false;
                Promises.whenDone(release(), (_, _) -> {});
            }
            throw e;
        }
    }

    private void take() {
        Lock wanted = new Lock(Lock.Kind.APPEND, Lock.Mode.EXCLUSIVE, owner, 0, Lock.TO_END, 0);
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            int before;
            synchronized (state) {
                recalled = false;
                before = losses;
            }
            locks.take(state.ino(), wanted, mount.timeoutMs());
            synchronized (state) {
                if (losses == before) {
                    // Even when it is recalled already, one append is made before it goes.
                    held = true;
                    fenced = false;
                    writing = true;
                    return;
                }
            }
        }
        throw new FsException(Errno.EIO, "one session after the other ended");
    }

    /** Whether the master has given it to this client, and not got it back yet. */
    boolean isOurs() {
        return mayBeOurs() && mount.master().session().leaseRuns();
    }

    /** As {@link #isOurs} as long as the session lasts. */
    boolean mayBeOurs() {
        synchronized (state) {
            return held || !releasing.isDone();
        }
    }

    /** Takes it for a commit in the background; it stays until somebody wants it. */
    CompletableFuture<Void> obtain() {
        CompletableFuture<Void> promise = new CompletableFuture<>();
        mount.runtime()
                .threads()
                .execute(
                        () -> {
                            try {
                                begin(true);
                                endWrite();
                                promise.complete(null);
                            } catch (FsException e) {
                                promise.completeExceptionally(e);
                            }
                        });
        return promise;
    }

    /** The bytes of the append are buffered. */
    void endWrite() {
        synchronized (state) {
            writing = false;
            if (recalled) {
                Promises.whenDone(release(), (_, _) -> {});
            }
        }
        order.unlock();
    }

    /**
     * Another client wants it; false when it is not this token. Never blocks. A recall is repeated
     * while the release waits for the commit: only that release may give the token away.
     */
    boolean recall(long itsOwner) {
        synchronized (state) {
            if (itsOwner != owner) {
                return false;
            }
            if (!held && !fetching) {
                return !releasing.isDone();
            }
            recalled = true;
            if (held && !writing) {
                Promises.whenDone(release(), (_, _) -> {});
            }
            return true;
        }
    }

    /** The session is gone, and with it the token; whether it was ours. */
    boolean dropped() {
        synchronized (state) {
            boolean ours = mayBeOurs();
            held = false;
            losses++;
            return ours;
        }
    }

    /** EIO when the token was lost since the append began. */
    void requireHeld() {
        synchronized (state) {
            if (!held) {
                throw new FsException(
                        Errno.EIO, "the session ended and with it the right to append");
            }
        }
    }

    /** The last open file is closed. Never blocks. */
    void closed() {
        synchronized (state) {
            if (held) {
                Promises.whenDone(release(), (_, _) -> {});
            }
        }
    }

    private CompletableFuture<Void> release() {
        held = false;
        if (releasing.isDone()) {
            CompletableFuture<Void> promise = new CompletableFuture<>();
            // Before the commit begins: it must see that the token is still this client's.
            releasing = promise;
            Promises.whenDone(
                    state.commitOrGiveUp(),
                    (_, _) ->
                            Promises.whenDone(
                                    mount.master()
                                            .mutate(
                                                    new SessionMutation.ReleaseLocks(
                                                            state.ino(), Lock.Kind.APPEND, owner)),
                                    (_, _) -> promise.complete(null)));
        }
        return releasing;
    }
}
