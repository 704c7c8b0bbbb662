package io.cairn.client.chunk;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.base.RecentEntries;
import io.cairn.client.chunk.ChunkIo.Piece;
import io.cairn.client.direct.DirectServer;
import io.cairn.client.direct.GrantedChunk;
import io.cairn.client.direct.GrantedChunks;
import io.cairn.client.session.Await;
import io.cairn.client.session.ClientRuntime;
import io.cairn.client.session.Promises;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.net.Callee;
import io.cairn.runtime.local.OpenDescriptor;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkReply;
import io.cairn.wire.chunk.ChunkReply.GrantReply;
import io.cairn.wire.chunk.ChunkRequest.ChunkKey;
import io.cairn.wire.chunk.DirectRequest.Grant;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads from chunk servers on this machine without the network: asks for grants, and uses those
 * there are. Everything that cannot be read in this way goes the ordinary way, and no read waits
 * long for a grant. A server that gives none is asked again after a minute. Thread-safe; never
 * blocks.
 */
final class DirectReads implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DirectReads.class);

    /** Open files, and checksums in memory: 8 MiB. */
    private static final int MAX_CHUNKS = 512;

    private static final long MAX_BLOCKS = 2 << 20;

    /** A read of so much waits for a grant; a smaller one asks when it is not the first one. */
    private static final int LARGE_BYTES = 128 << 10;

    private static final int MAX_ASKING = 32;
    private static final int REMEMBERED = 1024;
    private static final long CALL_MS = 1_000;
    private static final long PATIENCE_MS = 200;
    private static final long SWEEP_MS = 1_000;
    private static final long NO_SERVER_NS = 60_000_000_000L;
    private static final long NO_CHUNK_NS = 1_000_000_000L;
    private static final long BAD_CHUNK_NS = 60_000_000_000L;

    /** A chunk that is changed and read in turn goes the ordinary way for the most part. */
    private static final long CHANGED_CHUNK_NS = 100_000_000L;

    /** What is known of a chunk server. */
    private static final class Locality {
        /** Asked for the first time: others wait for what comes of it. */
        final AtomicBoolean asking = new AtomicBoolean();

        volatile @Nullable DirectServer server;

        /** It is not asked before this time. */
        volatile long againNs;

        Locality(long nowNs) {
            againNs = nowNs;
        }

        boolean isHere() {
            DirectServer known = server;
            return known != null && !known.hasEnded();
        }
    }

    /** Where a grant can be asked for. */
    private record Source(Callee server, Locality locality, ChunkAddress address) {}

    private final ClientRuntime runtime;
    private final ChunkIo io;
    private final GrantedChunks granted = new GrantedChunks(MAX_CHUNKS, MAX_BLOCKS);
    private final Map<Endpoint, Locality> localities = new ConcurrentHashMap<>();
    private final Map<ChunkKey, CompletableFuture<Boolean>> asking = new ConcurrentHashMap<>();
    private final Map<ChunkKey, Long> notes = new RecentEntries<>(REMEMBERED);
    private final AtomicBoolean sweeping = new AtomicBoolean();
    private final LongAdder reads = new LongAdder();
    private volatile boolean closed;

    DirectReads(ClientRuntime runtime, ChunkIo io) {
        this.runtime = runtime;
        this.io = io;
    }

    /** Reads that did not need the network. */
    long reads() {
        return reads.sum();
    }

    /** A range of a chunk, directly or in the ordinary way. */
    CompletableFuture<Piece> read(
            ChunkPlace place,
            int offsetBytes,
            int lengthBytes,
            Supplier<CompletableFuture<Piece>> ordinary) {
        ChunkKey key = new ChunkKey(place.oid(), place.index());
        GrantedChunk chunk = granted.get(key);
        if (chunk != null) {
            Piece piece = now(key, chunk, offsetBytes, lengthBytes);
            return piece == null ? ordinary.get() : CompletableFuture.completedFuture(piece);
        }
        CompletableFuture<Boolean> hoped = hoped(key, place, lengthBytes >= LARGE_BYTES);
        if (hoped == null || lengthBytes < LARGE_BYTES) {
            return ordinary.get();
        }
        return hoped.thenCompose(
                _ -> {
                    GrantedChunk fresh = granted.get(key);
                    Piece piece = fresh == null ? null : now(key, fresh, offsetBytes, lengthBytes);
                    return piece == null
                            ? ordinary.get()
                            : CompletableFuture.completedFuture(piece);
                });
    }

    private @Nullable Piece now(
            ChunkKey key, GrantedChunk chunk, int offsetBytes, int lengthBytes) {
        ByteBuf bytes = chunk.read(offsetBytes, lengthBytes, runtime.clock().nanoTime());
        if (bytes != null) {
            reads.increment();
            return new Piece(bytes, offsetBytes & -ChunkIo.BLOCK, chunk.lengthBytes());
        }
        if (chunk.isOver()) {
            // The server hears of bad blocks from the ordinary read that follows.
            long pauseNs = chunk.isBad() ? BAD_CHUNK_NS : CHANGED_CHUNK_NS;
            note(key, runtime.clock().nanoTime() + pauseNs);
            granted.forget(key, chunk);
        }
        return null;
    }

    private void note(ChunkKey key, long againNs) {
        synchronized (notes) {
            notes.put(key, againNs);
        }
    }

    /** Done, never failed, when a grant was given or refused; null when none is asked for. */
    private @Nullable CompletableFuture<Boolean> hoped(
            ChunkKey key, ChunkPlace place, boolean large) {
        CompletableFuture<Boolean> underWay = asking.get(key);
        if (underWay != null || closed || asking.size() >= MAX_ASKING) {
            return underWay;
        }
        long nowNs = runtime.clock().nanoTime();
        Source source = source(place, nowNs);
        if (source == null || !isTime(key, nowNs, large)) {
            return null;
        }
        boolean first = !source.locality.isHere();
        if (first && !source.locality.asking.compareAndSet(false, true)) {
            return null;
        }
        CompletableFuture<Boolean> promise = new CompletableFuture<>();
        CompletableFuture<Boolean> other = asking.putIfAbsent(key, promise);
        if (other != null) {
            if (first) {
                source.locality.asking.set(false);
            }
            return other;
        }
        runtime.scheduler().schedule(() -> promise.complete(false), PATIENCE_MS);
        Promises.whenDone(
                ask(source, key),
                (_, failure) -> {
                    if (failure != null) {
                        refused(source, key, Await.failure(failure));
                    }
                    if (first) {
                        source.locality.asking.set(false);
                    }
                    asking.remove(key, promise);
                    promise.complete(failure == null);
                });
        return promise;
    }

    /** Whether to ask for a chunk; notes small reads of it. */
    private boolean isTime(ChunkKey key, long nowNs, boolean large) {
        synchronized (notes) {
            Long againNs = notes.get(key);
            if (againNs != null) {
                return nowNs - againNs >= 0;
            }
            if (!large) {
                notes.put(key, nowNs);
            }
            return large;
        }
    }

    /** The serving member to ask: one that is here, else one of which that is not known. */
    private @Nullable Source source(ChunkPlace place, long nowNs) {
        ClusterMap map = io.map();
        PlacementGroup group = map.groupOf(place.layout(), place.index());
        if (group == null) {
            return null;
        }
        Source unknown = null;
        for (PlacementGroup.Member member : group.members()) {
            ChunkServer server =
                    member.state() == MemberState.SERVING
                            ? map.serverOfTarget(member.targetId())
                            : null;
            if (server == null || io.avoids(member.targetId())) {
                continue;
            }
            Locality locality =
                    localities.computeIfAbsent(server.endpoint(), _ -> new Locality(nowNs));
            boolean here = locality.isHere();
            if (nowNs - locality.againNs >= 0 && (here || unknown == null)) {
                ChunkAddress address =
                        new ChunkAddress(
                                group.id(),
                                group.epoch(),
                                place.oid(),
                                place.index(),
                                place.layout().chunkSizeLog2());
                Source source = new Source(Callee.of(server), locality, address);
                if (here) {
                    return source;
                }
                unknown = source;
            }
        }
        return unknown;
    }

    private CompletableFuture<Void> ask(Source source, ChunkKey key) {
        return io.connections()
                .to(source.server)
                .thenCompose(
                        link ->
                                io.once(
                                        link,
                                        source.address,
                                        chunk -> new Grant(chunk, runtime.machine()),
                                        CALL_MS))
                .thenApply(
                        answer -> {
                            answer.release();
                            return ChunkReply.decode(answer.decoder());
                        })
                .thenAcceptAsync(reply -> accept(source.locality, key, reply), runtime.threads());
    }

    /** Gets the open file. Blocks for a moment. */
    private void accept(Locality locality, ChunkKey key, ChunkReply reply) {
        if (!(reply instanceof GrantReply grant)) {
            throw new FsException(Errno.EPROTO, "no grant: " + reply.type());
        }
        try {
            DirectServer server = connected(locality, grant);
            OpenDescriptor file = server.take(grant.ticket());
            long nowNs = runtime.clock().nanoTime();
            granted.put(key, new GrantedChunk(server, grant, file, nowNs));
        } catch (IOException e) {
            throw new FsException(Errno.EOPNOTSUPP, String.valueOf(e.getMessage()), e);
        }
        sweepLater();
    }

    private DirectServer connected(Locality locality, GrantReply grant) throws IOException {
        synchronized (locality) {
            DirectServer known = locality.server;
            if (known != null && known.number() == grant.server() && !known.hasEnded()) {
                return known;
            }
            DirectServer fresh =
                    DirectServer.connect(Path.of(grant.socket()), grant.server(), runtime.clock());
            if (known != null) {
                known.close();
            }
            locality.server = fresh;
            if (closed) {
                fresh.close();
            }
            return fresh;
        }
    }

    private void refused(Source source, ChunkKey key, FsException error) {
        long nowNs = runtime.clock().nanoTime();
        switch (error.errno()) {
            case EOPNOTSUPP, EPROTO -> {
                LOG.debug("no direct reads from {}: {}", source.server, error.getMessage());
                source.locality.againNs = nowNs + NO_SERVER_NS;
            }
            case DISCONNECTED, ETIMEDOUT -> source.locality.againNs = nowNs + NO_CHUNK_NS;
            default -> {
                // The chunk, or the group, has no grants now.
            }
        }
        note(key, nowNs + NO_CHUNK_NS);
    }

    private void sweepLater() {
        if (!closed && sweeping.compareAndSet(false, true)) {
            runtime.scheduler().schedule(this::sweep, SWEEP_MS);
        }
    }

    private void sweep() {
        sweeping.set(false);
        if (granted.sweep(runtime.clock().nanoTime())) {
            sweepLater();
        }
    }

    /** Closes all files and connections. Idempotent. */
    @Override
    public void close() {
        closed = true;
        granted.close();
        for (Locality locality : localities.values()) {
            synchronized (locality) {
                if (locality.server != null) {
                    locality.server.close();
                }
            }
        }
    }
}
