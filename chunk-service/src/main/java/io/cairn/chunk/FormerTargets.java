package io.cairn.chunk;

import io.cairn.base.FsException;
import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.peer.Leader;
import io.cairn.chunk.peer.Peers;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Target;
import io.cairn.net.Transport;
import io.cairn.runtime.Scheduler;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which targets a server had before it was started: the cluster map knows, whatever became of the
 * disks. An empty directory beside one that is missing is likely the place where its disk is not
 * mounted, and must not become a target.
 */
public final class FormerTargets {
    private static final Logger LOG = LoggerFactory.getLogger(FormerTargets.class);
    private static final long RETRY_MS = 100;

    private final Transport transport;
    private final Scheduler scheduler;
    private final ChunkSettings settings;
    private boolean waiting;

    /** Of the server that has these settings. */
    public FormerTargets(Transport transport, Scheduler scheduler, ChunkSettings settings) {
        this.transport = transport;
        this.scheduler = scheduler;
        this.settings = settings;
    }

    /**
     * The identities of the targets of this server; none when the cluster does not know it yet.
     * Waits until a master answers.
     *
     * @throws InterruptedException when the wait was interrupted
     */
    public Set<Long> identities() throws InterruptedException {
        try (Peers peers = new Peers(transport, new MasterNews(_ -> {}))) {
            Leader leader = new Leader(peers, scheduler, settings.masters());
            return ask(leader).get();
        } catch (ExecutionException e) {
            throw Futures.failure(e);
        }
    }

    private CompletableFuture<Set<Long>> ask(Leader leader) {
        return MapQuestions.ask(leader, ClusterMap.EMPTY)
                .thenApply(this::identities)
                .exceptionallyCompose(
                        thrown -> {
                            note(Futures.failure(thrown));
                            CompletableFuture<Void> over = new CompletableFuture<>();
                            scheduler.schedule(() -> over.complete(null), RETRY_MS);
                            return over.thenCompose(_ -> ask(leader));
                        });
    }

    private void note(FsException error) {
        if (!waiting) {
            waiting = true;
            LOG.info(
                    "An empty directory becomes a target when a master tells that this server had"
                            + " none there: waiting for masters {} ({})",
                    settings.masters(),
                    error.getMessage());
        }
    }

    private Set<Long> identities(ClusterMap map) {
        ChunkServer server = map.server(settings.name());
        return server == null
                ? Set.of()
                : map.targetsOf(server).stream().map(Target::identity).collect(Collectors.toSet());
    }
}
