package io.cairn.client.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.MapDelta;
import io.cairn.cluster.MapFetch;
import io.cairn.wire.master.Push;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The client's copy of the cluster map. At most one request for a younger one is on its way; who
 * asks meanwhile waits for that one. Thread-safe; never blocks.
 */
public final class ClusterView {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterView.class);

    private final MasterChannel master;
    private volatile ClusterMap map = ClusterMap.EMPTY;

    @GuardedBy("this")
    private @Nullable CompletableFuture<ClusterMap> asking;

    public ClusterView(MasterChannel master) {
        this.master = master;
    }

    /** The youngest map that this client has seen. */
    public ClusterMap map() {
        return map;
    }

    /**
     * The master tells what changed: takes it, or asks for it where something before is missing.
     */
    void learn(Push.MapChanged news) {
        MapDelta delta = news.delta();
        synchronized (this) {
            if (delta != null && map.epoch() > 0 && delta.from() == map.epoch()) {
                map = map.with(delta);
                LOG.debug("{}", map);
            }
        }
        learn(news.epoch());
    }

    /** The master has a map of this epoch: fetches it if it is younger. */
    void learn(long epoch) {
        if (epoch > map.epoch()) {
            Promises.whenDone(refresh(), (_, _) -> {});
        }
    }

    /** Asks the master; completes with the youngest map known then, whether or not it changed. */
    public CompletableFuture<ClusterMap> refresh() {
        CompletableFuture<ClusterMap> promise;
        synchronized (this) {
            if (asking != null) {
                return asking;
            }
            promise = new CompletableFuture<>();
            asking = promise;
        }
        ask(promise, new MapFetch(map));
        return promise;
    }

    private void ask(CompletableFuture<ClusterMap> promise, MapFetch fetch) {
        Promises.whenDone(
                master.query(new Query.GetMap(fetch)),
                (reply, failure) -> {
                    if (reply instanceof Reply.MapReply answer && !fetch.take(answer.part())) {
                        ask(promise, fetch);
                    } else {
                        answered(promise, fetch.map(), failure);
                    }
                });
    }

    private void answered(
            CompletableFuture<ClusterMap> promise, ClusterMap found, @Nullable Throwable failure) {
        synchronized (this) {
            asking = null;
            if (found.epoch() > map.epoch()) {
                map = found;
                LOG.debug("{}", found);
            }
        }
        if (failure != null) {
            LOG.debug("no cluster map: {}", Await.failure(failure).getMessage());
        }
        promise.complete(map);
    }
}
