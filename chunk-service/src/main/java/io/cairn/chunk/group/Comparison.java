package io.cairn.chunk.group;

import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.peer.PeerContext;
import io.cairn.chunk.peer.Replies;
import io.cairn.chunk.peer.Term;
import io.cairn.chunk.peer.Term.Peer;
import io.cairn.net.Message;
import io.cairn.wire.chunk.ChunkReply.ChunkState;
import io.cairn.wire.chunk.ChunkReply.ListReply;
import io.cairn.wire.chunk.ChunkRequest.ChunkKey;
import io.cairn.wire.chunk.ChunkRequest.ListChunks;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds the chunks of a group that differ between this server and another member: those that only
 * one has, or has in another state, or that one cannot use. Reads both listings page by page, so it
 * needs little memory however many chunks there are. Chunks written meanwhile may be named although
 * they do not differ; a chunk that differs and is not written meanwhile is always named.
 */
final class Comparison {
    private static final int PAGE = 2048;
    private static final int WIDTH = 4;

    private final PeerContext station;
    private final Term term;
    private final Peer peer;
    private final Function<ChunkKey, CompletableFuture<Void>> difference;

    /**
     * @param difference what to do for each chunk that differs; {@value #WIDTH} at a time
     */
    Comparison(
            PeerContext station,
            Term term,
            Peer peer,
            Function<ChunkKey, CompletableFuture<Void>> difference) {
        this.station = station;
        this.term = term;
        this.peer = peer;
        this.difference = difference;
    }

    /** Done when all chunks were compared and all that differ dealt with. */
    CompletableFuture<Void> run() {
        return from(new ChunkKey(0, -1));
    }

    private CompletableFuture<Void> from(ChunkKey after) {
        CompletableFuture<List<ChunkState>> here =
                station.onDisk(
                        () -> term.target().list(term.groupId(), after.oid(), after.index(), PAGE));
        CompletableFuture<List<ChunkState>> there = list(after);
        return here.thenCombine(there, Page::of)
                .thenCompose(
                        page ->
                                Futures.forEach(page.different, WIDTH, difference)
                                        .thenCompose(
                                                done ->
                                                        page.last == null
                                                                ? Futures.DONE
                                                                : from(page.last)));
    }

    private CompletableFuture<List<ChunkState>> list(ChunkKey after) {
        ListChunks request =
                new ListChunks(term.groupId(), term.epoch(), after.oid(), after.index(), PAGE);
        return station.members()
                .ask(term, peer, () -> Message.of(request::toBytes))
                .thenApply(
                        reply -> {
                            try {
                                ListReply list = Replies.list(reply);
                                return list.chunks();
                            } finally {
                                reply.release();
                            }
                        });
    }

    /**
     * The chunks up to a key of which both listings are known.
     *
     * @param last where to go on; null at the end
     */
    private record Page(List<ChunkKey> different, @Nullable ChunkKey last) {
        static Page of(List<ChunkState> here, List<ChunkState> there) {
            ChunkKey last = earlier(end(here), end(there));
            TreeMap<ChunkKey, ChunkState> open = new TreeMap<>(Comparison::order);
            List<ChunkKey> different = new ArrayList<>();
            for (ChunkState state : here) {
                open.put(key(state), state);
            }
            for (ChunkState state : there) {
                ChunkState mine = open.remove(key(state));
                if (!agree(mine, state) && isWithin(key(state), last)) {
                    different.add(key(state));
                }
            }
            for (Map.Entry<ChunkKey, ChunkState> mine : open.entrySet()) {
                if (isWithin(mine.getKey(), last)) {
                    different.add(mine.getKey());
                }
            }
            different.sort(Comparison::order);
            return new Page(different, last);
        }

        private static boolean isWithin(ChunkKey key, @Nullable ChunkKey last) {
            return last == null || order(key, last) <= 0;
        }

        private static @Nullable ChunkKey end(List<ChunkState> page) {
            return page.size() < PAGE ? null : key(page.get(page.size() - 1));
        }

        private static @Nullable ChunkKey earlier(@Nullable ChunkKey a, @Nullable ChunkKey b) {
            if (a == null || b == null) {
                return a == null ? b : a;
            }
            return order(a, b) <= 0 ? a : b;
        }
    }

    /** Whether two replicas hold the same bytes. */
    static boolean agree(@Nullable ChunkState a, @Nullable ChunkState b) {
        return a != null
                && b != null
                && a.sequence() > 0
                && a.sequence() == b.sequence()
                && a.epoch() == b.epoch()
                && a.lengthBytes() == b.lengthBytes();
    }

    private static ChunkKey key(ChunkState state) {
        return new ChunkKey(state.oid(), state.index());
    }

    private static int order(ChunkKey a, ChunkKey b) {
        int byObject = Long.compare(a.oid(), b.oid());
        return byObject != 0 ? byObject : Long.compare(a.index(), b.index());
    }
}
