package io.cairn.client.file;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.lock.FileLocks;
import io.cairn.client.session.Await;
import io.cairn.client.session.Promises;
import io.cairn.fs.Lock;
import io.cairn.runtime.PendingRequest;
import io.cairn.runtime.WaitCause;
import io.cairn.wire.master.SessionMutation;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Does for one file what its {@link AppendToken} says.
 *
 * <p>Appends of one mount go one after the other: the turn is kept from reading the size to
 * buffering the last byte, so a record is never torn. A writer that appends waits for it, and then
 * for the gate of the inode; a recall waits for neither. Nor does a commit that needs the token, as
 * it may be the one of a truncation that holds the gate: it shares what an append fetches, and
 * never waits for a release, which waits for the commit itself. Thread-safe.
 */
public final class Appends {
    /** How often the session may end while the token is being taken. */
    private static final int MAX_TRIES = 3;

    /** How often who waits for its turn looks whether it still should. */
    private static final long SLICE_MS = 100;

    private final OpenInode inode;
    private final Mount mount;
    private final FileLocks locks;
    private final long owner;
    private final ReentrantLock turn = new ReentrantLock();

    Appends(OpenInode inode, Mount mount, FileLocks locks, long owner) {
        this.inode = inode;
        this.mount = mount;
        this.locks = locks;
        this.owner = owner;
    }

    /** Takes the right to append now; blocks. End with {@link #end}. */
    public void begin() {
        if (!turn.tryLock()) {
            await();
        }
        try {
            PendingRequest.waited();
            claim();
            fence();
        } catch (RuntimeException e) {
            end();
            throw e;
        }
    }

    private void await() {
        PendingRequest.aboutToWait();
        long endMs = mount.nowMs() + mount.timeoutMs();
        try {
            while (!turn.tryLock(SLICE_MS, TimeUnit.MILLISECONDS)) {
                if (PendingRequest.isCurrentCancelled()) {
                    throw PendingRequest.interrupted();
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
            boolean isFirst = tries == 0;
            if (inode.with(s -> s.token().begin()) && (!isFirst || leaseRuns())) {
                return;
            }
            fetch(true);
        }
        throw lost();
    }

    private boolean leaseRuns() {
        return mount.master().session().leaseRuns();
    }

    static FsException lost() {
        return new FsException(Errno.EIO, "the session ended and with it the right to append");
    }

    private void fence() {
        long token = inode.with(s -> s.token().isFenced() ? 0 : s.token().number());
        if (token != 0) {
            inode.growth().beforeAppends();
            inode.tell(s -> s.token().fenced(token));
        }
    }

    /**
     * Takes the token, or waits for who is taking it, unless it is not needed any more; blocks.
     *
     * @param toAppend whether it must be here; else it may be on its way back
     */
    private void fetch(boolean toAppend) {
        AppendToken.Fetch fetch =
                inode.with(
                        s -> {
                            AppendToken token = s.token();
                            return token.fetch(
                                    toAppend ? token.isHeld() && leaseRuns() : token.mayBeOurs());
                        });
        switch (fetch) {
            case AppendToken.Enough _ -> {
                // Somebody else was faster.
            }
            case AppendToken.Share share -> share(share.other());
            case AppendToken.Ask ask -> {
                try {
                    Await.get(ask.after(), 2 * mount.timeoutMs(), WaitCause.OTHERS);
                    take();
                } catch (RuntimeException e) {
                    tell(AppendToken::fetched);
                    ask.promise().completeExceptionally(e);
                    throw e;
                }
                tell(AppendToken::fetched);
                ask.promise().complete(null);
            }
        }
    }

    private void share(CompletableFuture<Void> other) {
        try {
            Await.get(other, 2 * mount.timeoutMs(), WaitCause.OTHERS);
        } catch (FsException e) {
            // Who fetched it was interrupted, and this thread was not: its turn.
            if (e.errno() != Errno.EINTR || PendingRequest.isCurrentCancelled()) {
                throw e;
            }
        }
    }

    private void take() {
        Lock wanted = new Lock(Lock.Kind.APPEND, Lock.Mode.EXCLUSIVE, owner, 0, Lock.TO_END, 0);
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            int losses = inode.with(s -> s.token().asking());
            locks.take(inode.ino(), wanted, mount.timeoutMs());
            if (inode.with(s -> s.token().taken(losses))) {
                return;
            }
        }
        throw new FsException(Errno.EIO, "one session after the other ended");
    }

    /**
     * Makes the token ours for a commit, which looks again then; the token stays until somebody
     * wants it. Never blocks.
     */
    CompletableFuture<Void> obtain() {
        return CompletableFuture.runAsync(
                () -> {
                    fetch(false);
                    look();
                },
                mount.runtime().threads());
    }

    private void look() {
        long token = inode.with(s -> s.token().number());
        inode.doubts().look();
        inode.tell(s -> s.token().seen(token));
    }

    /** The bytes of the append are buffered. */
    public void end() {
        tell(AppendToken::end);
        turn.unlock();
    }

    /** Another client wants a token; false when it is not this one. Never blocks. */
    public boolean recall(long itsOwner) {
        boolean isOurs = inode.with(s -> s.token().recall(itsOwner));
        tell(_ -> {});
        return isOurs;
    }

    /** The last open file is closed. Never blocks. */
    void closed() {
        tell(AppendToken::closed);
    }

    /** Tells the token what happened, and gives it back if that is due, after a last commit. */
    private void tell(Consumer<AppendToken> event) {
        @Nullable CompletableFuture<Void> released =
                inode.with(
                        s -> {
                            event.accept(s.token());
                            return s.token().due();
                        });
        if (released == null) {
            return;
        }
        SessionMutation release =
                new SessionMutation.ReleaseLocks(inode.ino(), Lock.Kind.APPEND, owner);
        Promises.whenDone(
                inode.commitOrGiveUp(),
                (_, _) ->
                        Promises.whenDone(
                                mount.master().mutate(release),
                                (_, _) -> {
                                    inode.tell(s -> s.token().released());
                                    released.complete(null);
                                }));
    }
}
