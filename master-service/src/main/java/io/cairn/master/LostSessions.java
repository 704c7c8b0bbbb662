package io.cairn.master;

import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.master.cluster.LogWriter;
import io.cairn.metadata.Namespace;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.LeaderMutation.LoseSession;
import io.cairn.wire.master.LeaderMutation.RenewObjects;
import io.cairn.wire.master.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Ends sessions that do not end themselves, and collects what they left of files that are still in
 * their inodes: chunks of an object that the client did not come to tell of.
 *
 * <p>The file gets a new object when no session holds it open any more, and a lease after the
 * session ended at the earliest. A client that was only cut off for a while may come back and tell.
 * A process that waits for it has been told an error by then. While the change is on its way nobody
 * can open the file, so no client writes to the old object. Belongs to the thread that keeps the
 * house.
 */
final class LostSessions {
    /** Inodes told in one mutation; of a session with more it counts as unknown what it had. */
    private static final int BATCH = 8192;

    private static final long LOOK_MS = 1000;

    private final Supplier<Namespace> namespace;
    private final SessionTable sessions;
    private final LogWriter log;
    private final Clock clock;
    private long lookedMs;
    private @Nullable Round round;

    /** Files that nobody can open until their objects are known to be renewed. */
    private static final class Round {
        final List<Long> inos;
        volatile boolean submitting;
        volatile boolean done;

        Round(List<Long> inos) {
            this.inos = inos;
        }
    }

    LostSessions(Supplier<Namespace> namespace, SessionTable sessions, LogWriter log, Clock clock) {
        this.namespace = namespace;
        this.sessions = sessions;
        this.log = log;
        this.clock = clock;
        this.lookedMs = clock.millis();
    }

    /** Ends a session; completes when that is logged, fails as the log does. Any thread. */
    CompletableFuture<Reply> end(long session) {
        List<Long> opens = sessions.opens(session);
        List<Long> left = new ArrayList<>();
        if (opens != null) {
            for (long ino : opens) {
                if (oid(ino) != 0) {
                    left.add(ino);
                }
            }
        }
        boolean known = opens != null && left.size() <= BATCH;
        long[] inos = left.stream().limit(known ? BATCH : 0).mapToLong(Long::longValue).toArray();
        return log.submit(new LoseSession(session, inos, known));
    }

    /** The object of a file whose contents are in the inode; 0 of any other inode. */
    private long oid(long ino) {
        Inode inode = namespace.get().inode(ino);
        Layout layout = inode == null ? null : inode.layout();
        return inode == null || layout == null || inode.inline() == null ? 0 : layout.lastOid();
    }

    /** Forgets what an earlier term began. */
    void reset() {
        round = null;
    }

    /** Looks for files to collect from, while this master leads. */
    void tick() {
        Round current = round;
        if (current == null) {
            begin();
        } else if (current.done) {
            sessions.free(current.inos);
            round = null;
        } else if (!current.submitting) {
            // As long as it may come to be done nobody may open them: it is repeated.
            renew(current);
        }
    }

    private void begin() {
        long now = clock.millis();
        if (now - lookedMs < LOOK_MS || !sessions.isComplete()) {
            return;
        }
        lookedMs = now;
        long keptNs = TimeUnit.MILLISECONDS.toNanos(sessions.leaseMs());
        List<Long> left = namespace.get().doubtful(clock.wallNs() - keptNs, BATCH);
        List<Long> free = sessions.reserve(left);
        if (!free.isEmpty()) {
            Round next = new Round(free);
            round = next;
            renew(next);
        }
    }

    private void renew(Round current) {
        List<RenewObjects.Holding> holdings =
                current.inos.stream().map(ino -> new RenewObjects.Holding(ino, oid(ino))).toList();
        current.submitting = true;
        var _ =
                log.submit(new RenewObjects(holdings))
                        .whenComplete(
                                (_, error) -> {
                                    current.done = error == null;
                                    current.submitting = false;
                                });
    }
}
