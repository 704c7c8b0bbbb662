package io.cairn.master.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.Wording;
import io.cairn.cluster.MapDelta;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Reply;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Brings changes of the cluster map into the log, one at a time. Thread-safe. */
final class MapProposals {
    private static final Logger LOG = LoggerFactory.getLogger(MapProposals.class);

    private final LogWriter log;

    @GuardedBy("this")
    private boolean underWay;

    @GuardedBy("this")
    private boolean failed;

    MapProposals(LogWriter log) {
        this.log = log;
    }

    /** This master has become the leader: what it proposed before is over. */
    synchronized void clear() {
        underWay = false;
        failed = false;
    }

    /** Whether a change is neither in force nor refused. */
    synchronized boolean isUnderWay() {
        return underWay;
    }

    /** Whether the last change did not come into force; told once. */
    synchronized boolean hasFailed() {
        boolean told = failed;
        failed = false;
        return told;
    }

    /** Proposes a change. */
    void submit(MapDelta delta) {
        synchronized (this) {
            underWay = true;
        }
        var _ = submit(delta.parts(), 0).whenComplete((reply, error) -> done(delta, reply, error));
    }

    private CompletableFuture<Reply> submit(List<MapDelta.Part> parts, int number) {
        CompletableFuture<Reply> done = log.submit(new LeaderMutation.ChangeMap(parts.get(number)));
        return number == parts.size() - 1
                ? done
                : done.thenCompose(
                        reply ->
                                reply instanceof Reply.Failure
                                        ? CompletableFuture.completedFuture(reply)
                                        : submit(parts, number + 1));
    }

    private void done(MapDelta delta, @Nullable Reply reply, @Nullable Throwable error) {
        synchronized (this) {
            underWay = false;
            failed = error != null || reply instanceof Reply.Failure;
        }
        if (error != null) {
            LOG.warn("cluster map {} not committed: {}", delta.to(), error.getMessage());
        } else if (reply instanceof Reply.Failure failure) {
            LOG.warn("cluster map {} refused: {}", delta.to(), failure.message());
        } else {
            LOG.info("cluster map {}: {}", delta.to(), describe(delta));
        }
    }

    private static String describe(MapDelta delta) {
        return Wording.count(delta.servers().size(), "server")
                + ", "
                + Wording.count(delta.targets().size(), "target")
                + ", "
                + Wording.count(delta.groups().size(), "group")
                + " changed, "
                + Wording.count(delta.pools().size(), "pool")
                + " made, "
                + delta.gone().pools().size()
                + " gone";
    }
}
