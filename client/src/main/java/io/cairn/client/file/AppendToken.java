package io.cairn.client.file;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.session.Await;
import io.cairn.client.session.Promises;
import io.cairn.fs.Lock;
import io.cairn.runtime.Attendant;
import io.cairn.runtime.Errand;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The right of this mount to extend one file by O_APPEND writes. Taken from the master with the
 * first such write and kept, so that later ones cost nothing; given back, after the size was
 * committed, when another client wants it or the file is closed.
 *
 * <p>Appends of one mount go one after the other: the lock is held from reading the size to
 * buffering the last byte, so a record is never torn. Who appends waits for it, and with it in hand
 * for the gate of the inode; a recall waits for neither. Nor does a commit that needs the token, as
 * it may be the one of a truncation that holds the gate: it shares what an append fetches, and
 * never waits for a release, which waits for the commit itself.
 *
 * <p>Its fields are guarded by the monitor of the inode. Each token is an owner of its own, so that
 * the late release of one never frees its successor's.
 */
public final class AppendToken {
    /** How often the session may end while the token is being taken. */
    private static final int MAX_TRIES = 3;

    /** How often who waits for its turn looks whether it still should. */
    private static final long SLICE_MS = 100;

    private final InodeState state;
    private final Mount mount;
    private final FileLocks locks;
    private final long owner;
    private final ReentrantLock order = new ReentrantLock();
    private boolean held;
    private boolean recalled;
    private boolean writing;

    /** Counts the tokens taken. */
    private long number;

    /** The last token that was lost with its session. */
    private long lostNumber;

    /** The last token under which nothing of another holder can land among our records. */
    private long fencedNumber;

    /** The last token since whose taking the inode was looked at. */
    private long seenNumber;

    private int losses;
    private @Nullable CompletableFuture<Void> fetching;
    private CompletableFuture<Void> releasing = Promises.DONE;

    AppendToken(InodeState state, Mount mount, FileLocks locks) {
        this.state = state;
        this.mount = mount;
        this.locks = locks;
        this.owner = locks.newOwner();
    }

    /** Takes the right to append now; blocks. End with {@link #endWrite}. */
    public void beginWrite() {
        if (!order.tryLock()) {
            await();
        }
        try {
            Errand.waited();
            claim();
            fence();
        } catch (RuntimeException e) {
            endWrite();
            throw e;
        }
    }

    private void await() {
        Attendant.aboutToWait();
        long endMs = mount.nowMs() + mount.timeoutMs();
        try {
            while (!order.tryLock(SLICE_MS, TimeUnit.MILLISECONDS)) {
                if (Errand.isCurrentCancelled()) {
                    throw Errand.interrupted();
                }
                if (mount.nowMs() - endMs >= 0) {
                    throw new FsException(Errno.ETIMEDOUT, "another append takes too long");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FsException(Errno.EINTR, "interrupted while waiting to append", e);
        }
    }

    private void claim() {
        for (int tries = 0; tries <= MAX_TRIES; tries++) {
            synchronized (state) {
                // Even a token that is recalled already stays for this append.
                writing = true;
                if (tries == 0 ? isUsable() : held) {
                    return;
                }
            }
            fetch(this::isUsable);
        }
        throw new FsException(Errno.EIO, "the session ended and with it the right to append");
    }

    private boolean isUsable() {
        return held && mount.master().session().leaseRuns();
    }

    private void fence() {
        long token;
        synchronized (state) {
            token = number;
            if (fencedNumber == token) {
                return;
            }
        }
        state.tail().beforeAppends();
        synchronized (state) {
            fencedNumber = token;
        }
    }

    /** Takes the token, or waits for who is taking it, unless it is not needed any more; blocks. */
    private void fetch(BooleanSupplier enough) {
        CompletableFuture<Void> mine = new CompletableFuture<>();
        CompletableFuture<Void> before;
        CompletableFuture<Void> other;
        synchronized (state) {
            if (enough.getAsBoolean()) {
                return;
            }
            before = releasing;
            other = fetching;
            if (other == null) {
                fetching = mine;
            }
        }
        if (other != null) {
            share(other);
            return;
        }
        try {
            Await.get(before, 2 * mount.timeoutMs());
            take();
            fetched(mine, null);
        } catch (RuntimeException e) {
            fetched(mine, e);
            throw e;
        }
    }

    private void share(CompletableFuture<Void> other) {
        try {
            Await.get(other, 2 * mount.timeoutMs());
        } catch (FsException e) {
            // Who fetched it was interrupted, and this thread was not: its turn.
            if (e.errno() != Errno.EINTR || Errand.isCurrentCancelled()) {
                throw e;
            }
        }
    }

    private void fetched(CompletableFuture<Void> promise, @Nullable RuntimeException failure) {
        synchronized (state) {
            fetching = null;
            if (held && recalled && !writing) {
                Promises.whenDone(release(), (_, _) -> {});
            }
        }
        if (failure == null) {
            promise.complete(null);
        } else {
            promise.completeExceptionally(failure);
        }
    }

    private void take() {
        Lock wanted = new Lock(Lock.Kind.APPEND, Lock.Mode.EXCLUSIVE, owner, 0, Lock.TO_END, 0);
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            int before;
            synchronized (state) {
                recalled &= held;
                before = losses;
            }
            locks.take(state.ino(), wanted, mount.timeoutMs());
            synchronized (state) {
                if (losses == before) {
                    number += held ? 0 : 1;
                    held = true;
                    return;
                }
            }
        }
        throw new FsException(Errno.EIO, "one session after the other ended");
    }

    /**
     * Whether the master has given it to this client, and not got it back yet, and the inode was
     * looked at since: what others put into its chunks under the token before is known then.
     */
    boolean isOurs() {
        synchronized (state) {
            return mayBeOurs() && seenNumber == number && lostNumber != number;
        }
    }

    /** Whether the master may have given it to this client and not got it back yet. */
    boolean mayBeOurs() {
        synchronized (state) {
            return held || !releasing.isDone();
        }
    }

    /**
     * Brings {@link #isOurs} about for a commit, which asks again then; the token stays until
     * somebody wants it. Never blocks.
     */
    CompletableFuture<Void> obtain() {
        CompletableFuture<Void> promise = new CompletableFuture<>();
        mount.runtime()
                .threads()
                .execute(
                        () -> {
                            try {
                                fetch(this::mayBeOurs);
                                look();
                                promise.complete(null);
                            } catch (RuntimeException e) {
                                promise.completeExceptionally(e);
                            }
                        });
        return promise;
    }

    private void look() {
        long token;
        synchronized (state) {
            token = number;
        }
        Reply reply = mount.master().ask(new Query.GetInode(state.ino()));
        state.adopt(Await.expect(reply, Reply.EntryReply.class).inode());
        synchronized (state) {
            seenNumber = token;
        }
    }

    /** The bytes of the append are buffered. */
    public void endWrite() {
        synchronized (state) {
            writing = false;
            if (held && recalled) {
                Promises.whenDone(release(), (_, _) -> {});
            }
        }
        order.unlock();
    }

    /**
     * Another client wants it; false when it is not this token. Never blocks. A recall is repeated
     * while the release waits for the commit: only that release may give the token away.
     */
    public boolean recall(long itsOwner) {
        synchronized (state) {
            if (itsOwner != owner) {
                return false;
            }
            if (!held && fetching == null) {
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
    public boolean dropped() {
        synchronized (state) {
            boolean ours = mayBeOurs();
            held = false;
            lostNumber = number;
            losses++;
            return ours;
        }
    }

    /** EIO when the token was lost since the append began. */
    void requireHeld() {
        synchronized (state) {
            if (!held || fencedNumber != number) {
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
