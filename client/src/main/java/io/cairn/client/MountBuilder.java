package io.cairn.client;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.cache.MetadataCache;
import io.cairn.client.cache.RemovedInodes;
import io.cairn.client.chunk.BufferPool;
import io.cairn.client.chunk.ChunkConnections;
import io.cairn.client.chunk.ChunkIo;
import io.cairn.client.chunk.UnsyncedChunks;
import io.cairn.client.file.DirtyInodes;
import io.cairn.client.file.Mount;
import io.cairn.client.session.Await;
import io.cairn.client.session.ClientRuntime;
import io.cairn.client.session.ClientSettings;
import io.cairn.client.session.ClusterView;
import io.cairn.client.session.MasterChannel;
import io.cairn.client.session.PolledNetwork;
import io.cairn.cluster.Endpoint;
import io.cairn.net.TracedTransport;
import io.cairn.net.Transport;
import io.cairn.wire.master.OperationNames;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** Wires the parts of a mount together and opens its session. */
final class MountBuilder {
    private final ClientSettings settings;
    private final Transport transport;
    private final ClientRuntime runtime;

    MountBuilder(ClientSettings settings, Transport transport, ClientRuntime runtime) {
        this.settings = settings;
        this.transport = transport;
        this.runtime = runtime;
    }

    CairnFileSystem connect(MeterRegistry registry) {
        UnaryOperator<Transport> traced =
                each ->
                        TracedTransport.around(
                                each, runtime.tracer(), "master", OperationNames::ofMaster);
        PolledNetwork polled = runtime.polled();
        Transport toChunks =
                TracedTransport.around(
                        transport, runtime.tracer(), "chunk", OperationNames::ofChunk);
        MasterChannel master =
                new MasterChannel(
                        settings,
                        traced.apply(transport),
                        polled == null ? runtime : runtime.with(polled.through(traced)));
        ClusterView view = new ClusterView(master);
        ChunkConnections connections = new ChunkConnections(toChunks, runtime.scheduler());
        ChunkIo chunks = new ChunkIo(settings, runtime, master, view, connections);
        registry.more()
                .counter("cairn.client.direct.reads", Tags.empty(), chunks, ChunkIo::directReads);
        DirtyInodes dirty = new DirtyInodes(runtime.scheduler(), settings.writeBackDelayMs());
        BufferPool pool = new BufferPool(settings.bufferBytes(), dirty::sendAll);
        Mount mount =
                new Mount(
                        settings,
                        runtime,
                        master,
                        chunks,
                        pool,
                        new MetadataCache(runtime.clock(), settings.attributeTtlMs()),
                        dirty,
                        new UnsyncedChunks(chunks),
                        new RemovedInodes(master, runtime.scheduler()));
        CairnFileSystem fs = new CairnFileSystem(mount, registry);
        CompletableFuture<Void> ready = master.start(fs.listener(), view);
        try {
            Await.get(ready, settings.connectTimeoutMs());
            Await.get(view.refresh(), settings.connectTimeoutMs());
        } catch (FsException e) {
            master.close();
            chunks.close();
            throw e.errno() == Errno.EACCES ? refused(e) : unanswered(master.lastError(), e);
        }
        return fs;
    }

    private static FsException refused(FsException cause) {
        return new FsException(Errno.EACCES, "the masters refuse it: " + cause.getMessage(), cause);
    }

    private FsException unanswered(String lastError, FsException cause) {
        String masters =
                settings.masters().stream()
                        .map(Endpoint::toString)
                        .collect(Collectors.joining(", "));
        long seconds = Math.max(1, settings.connectTimeoutMs() / 1000);
        return new FsException(
                Errno.ETIMEDOUT,
                "no master answered at " + masters + " within " + seconds + " s: " + lastError,
                cause);
    }
}
