package io.cairn.master.raft.member;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.base.Wording;
import io.cairn.runtime.Clock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.apache.ratis.protocol.RaftClientReply;
import org.jspecify.annotations.Nullable;

/**
 * Makes another master lead. Ratis lets the chosen one stand for election once, and accepts
 * whichever master is elected then. That may be the master that led before, if it took one more
 * entry in between, or if the chosen one was slow to count its votes. The cluster has lost half a
 * second by then and nothing else, so the chosen one stands again, until it leads or the time is
 * over.
 */
public final class Handover {
    /** How long another master may take to take over. */
    static final long LIMIT_MS = 8_000;

    /** Between two elections. */
    static final long PAUSE_MS = 100;

    /** The group of masters, as the one that leads sees it. */
    public interface Masters {
        /** Lets a master stand for election once. */
        CompletableFuture<RaftClientReply> elect(String id, long limitMs);

        /** The leader, as far as this master knows. */
        @Nullable String leader();

        /** Whether this master leads and is ready for it. */
        boolean leads();

        /** Runs something after {@link #PAUSE_MS}. */
        Executor pause();
    }

    private final Masters masters;
    private final Clock clock;
    private final String self;
    private final String next;
    private final long startedMs;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private String why = "the masters are choosing a leader";

    private Handover(Masters masters, Clock clock, String self, String next) {
        this.masters = masters;
        this.clock = clock;
        this.self = self;
        this.next = next;
        startedMs = clock.millis();
    }

    /**
     * Starts.
     *
     * @param self this master, which leads
     * @param next another one of the group
     * @return completes when {@code next} leads; fails with an {@code FsException}: NOT_LEADER when
     *     a third one does, NOT_READY after {@link #LIMIT_MS}
     */
    public static CompletableFuture<Void> start(
            Masters masters, Clock clock, String self, String next) {
        Handover handover = new Handover(masters, clock, self, next);
        handover.step();
        return handover.done;
    }

    private void step() {
        String leader = masters.leader();
        long leftMs = LIMIT_MS - (clock.millis() - startedMs);
        if (next.equals(leader)) {
            done.complete(null);
        } else if (leader != null && !leader.equals(self)) {
            done.completeExceptionally(new FsException(Errno.NOT_LEADER, ""));
        } else if (leftMs <= 0) {
            done.completeExceptionally(
                    new FsException(Errno.NOT_READY, "the master did not take over: " + why));
        } else if (masters.leads()) {
            var _ = masters.elect(next, leftMs).whenComplete(this::elected);
        } else {
            masters.pause().execute(this::step);
        }
    }

    private void elected(@Nullable RaftClientReply reply, @Nullable Throwable error) {
        if (reply != null && reply.isSuccess()) {
            done.complete(null);
            return;
        }
        Throwable cause = reply != null ? reply.getException() : error;
        why = cause == null ? "no reason was given" : Wording.of(cause);
        masters.pause().execute(this::step);
    }
}
