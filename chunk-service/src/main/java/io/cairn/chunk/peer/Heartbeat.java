package io.cairn.chunk.peer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.runtime.Scheduler;
import io.cairn.wire.Limits;
import io.cairn.wire.master.ClusterRequest;
import io.cairn.wire.master.ClusterRequest.HeartbeatReply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the leader of the masters three times in a read lease that this server lives, and takes
 * home the lease, the map and garbage. One heartbeat is under way at a time. Thread-safe.
 */
public final class Heartbeat {
    /** The report, and the effect of the answer. */
    public interface Contents {
        CompletableFuture<ClusterRequest> compose();

        /**
         * On a thread that may block. {@code sentNs}: before the heartbeat was sent, by the clock's
         * {@code nanoTime}.
         */
        void accept(HeartbeatReply reply, long sentNs);
    }

    /** How the masters answer. */
    private enum Contact {
        ANSWERED,
        REFUSED,
        SILENT_LEASED,
        SILENT
    }

    private static final Logger LOG = LoggerFactory.getLogger(Heartbeat.class);
    private static final long CALL_TIMEOUT_MS = 3_000;
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(3);
    private static final long FOREIGN_REMINDER_NS = TimeUnit.MINUTES.toNanos(1);
    private static final long RETRY_MS = 100;
    private static final long SHORTEST_PAUSE_MS = 20;

    private final ServerContext world;
    private final Leader leader;
    private final Lease lease;

    @GuardedBy("this")
    private @Nullable Contents contents;

    @GuardedBy("this")
    private boolean stopped = true;

    @GuardedBy("this")
    private boolean underWay;

    @GuardedBy("this")
    private boolean again;

    @GuardedBy("this")
    private List<CompletableFuture<Void>> waiting = new ArrayList<>();

    private Scheduler.@Nullable Timer next;

    @GuardedBy("this")
    private long silentSinceNs;

    @GuardedBy("this")
    private Contact contact = Contact.ANSWERED;

    @GuardedBy("this")
    private boolean toldForeign;

    @GuardedBy("this")
    private long foreignToldNs;

    private volatile String refusal = "";

    public Heartbeat(ServerContext world, Leader leader, Lease lease) {
        this.world = world;
        this.leader = leader;
        this.lease = lease;
        this.silentSinceNs = world.clock().nanoTime();
    }

    /** Begins to beat. */
    public void begin(Contents newContents) {
        synchronized (this) {
            contents = newContents;
            stopped = false;
        }
        beat();
    }

    /** Beats no more. Idempotent. */
    public void end() {
        List<CompletableFuture<Void>> left;
        synchronized (this) {
            stopped = true;
            left = waiting;
            waiting = new ArrayList<>();
            if (next != null) {
                next.cancel();
            }
        }
        left.forEach(each -> each.complete(null));
    }

    /**
     * Asks the leader at once; done, never failed, when a heartbeat that began after this call was
     * answered or failed.
     */
    public CompletableFuture<Void> refresh() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        synchronized (this) {
            if (stopped) {
                return Futures.DONE;
            }
            waiting.add(done);
            if (underWay) {
                again = true;
                return done;
            }
        }
        beat();
        return done;
    }

    private void beat() {
        Contents now;
        List<CompletableFuture<Void>> served;
        synchronized (this) {
            if (stopped || underWay || contents == null) {
                return;
            }
            underWay = true;
            again = false;
            now = contents;
            served = waiting;
            waiting = new ArrayList<>();
            if (next != null) {
                next.cancel();
            }
        }
        Futures.finish(
                Futures.guarded(now::compose).thenCompose(request -> exchange(now, request)),
                (done, thrown) -> ended(thrown, served));
    }

    private CompletableFuture<Void> exchange(Contents now, ClusterRequest request) {
        long sentNs = world.clock().nanoTime();
        return leader.ask(request, CALL_TIMEOUT_MS)
                .thenAcceptAsync(
                        message -> {
                            try {
                                now.accept(HeartbeatReply.decode(message.decoder()), sentNs);
                            } finally {
                                message.release();
                            }
                        },
                        world.control());
    }

    private void ended(@Nullable Throwable thrown, List<CompletableFuture<Void>> served) {
        boolean wanted;
        synchronized (this) {
            underWay = false;
            wanted = again;
            if (!stopped) {
                long pauseMs = thrown == null ? Limits.readLeaseMs(lease.lengthMs()) / 3 : RETRY_MS;
                next = world.scheduler().schedule(this::beat, wanted ? SHORTEST_PAUSE_MS : pauseMs);
            }
        }
        report(thrown);
        served.forEach(each -> each.complete(null));
    }

    /** Its data is useless there, and may be all that is left of its own cluster. */
    private void tellForeign(FsException error) {
        long nowNs = world.clock().nanoTime();
        synchronized (this) {
            if (toldForeign && nowNs - foreignToldNs < FOREIGN_REMINDER_NS) {
                return;
            }
            toldForeign = true;
            foreignToldNs = nowNs;
        }
        LOG.error(
                "The masters at {} are of another cluster or release: {}; this server keeps its"
                        + " data and serves nobody there",
                leader.masters(),
                error.getMessage());
    }

    /** Why the masters refuse this server; empty when they do not. */
    public String refusal() {
        return refusal;
    }

    private Contact contact(@Nullable Throwable thrown) {
        if (thrown == null) {
            return Contact.ANSWERED;
        }
        return switch (Futures.failure(thrown).errno()) {
            case EBUSY, EEXIST -> Contact.REFUSED;
            default -> lease.runs() ? Contact.SILENT_LEASED : Contact.SILENT;
        };
    }

    /**
     * One line for each change between answered, not answered, and not serving any more; a silence
     * is told when it has lasted, because masters that start or choose a leader are silent, too.
     */
    private void report(@Nullable Throwable thrown) {
        if (thrown != null && Futures.failure(thrown).errno() == Errno.WRONG_CLUSTER) {
            tellForeign(Futures.failure(thrown));
        }
        Contact now = contact(thrown);
        String told = thrown == null ? "" : String.valueOf(Futures.failure(thrown).getMessage());
        boolean news = now == Contact.REFUSED && !told.equals(refusal);
        refusal = now == Contact.REFUSED ? told : "";
        Contact before;
        synchronized (this) {
            before = contact;
            long nowNs = world.clock().nanoTime();
            if (now == Contact.ANSWERED) {
                silentSinceNs = nowNs;
            } else if (now != Contact.REFUSED && nowNs - silentSinceNs < PATIENCE_NS) {
                return;
            }
            contact = now;
        }
        if (now == before && !news) {
            return;
        }
        if (now == Contact.REFUSED) {
            LOG.error("The masters refuse this server: {}", told);
        } else if (thrown != null) {
            FsException error = Futures.failure(thrown);
            LOG.warn(
                    "No master answers at {} ({}: {}); this server {}; start a master there or"
                            + " correct --masters",
                    leader.masters(),
                    error.errno(),
                    error.getMessage(),
                    now == Contact.SILENT ? "does not serve" : "serves until its lease ends");
        } else {
            LOG.info("A master answers again");
        }
    }
}
