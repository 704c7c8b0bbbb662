package io.cairn.chunk.group;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.peer.PeerContext;
import io.cairn.chunk.peer.Term;
import io.cairn.net.Message;
import io.cairn.trace.Scope;
import io.cairn.trace.Span;
import io.cairn.wire.chunk.ChunkReply.ChunkState;
import io.cairn.wire.chunk.ChunkRequest.ChunkKey;
import io.cairn.wire.chunk.HeadRequest.Settled;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Tells the other serving members of a group, on its head, which changes all members have: a moment
 * after these were acknowledged, many at a time. So the members can serve reads of nearly all
 * chunks by themselves when the head is gone. A notice that is lost costs a question later.
 * Thread-safe.
 */
final class SettledNotices {
    private static final long DELAY_MS = 50;
    private static final long TIMEOUT_MS = 1_000;

    /** More than these are left to be asked for. */
    private static final int MAX_CHUNKS = 1_024;

    private final PeerContext station;
    private final Term term;

    /** Guarded by this. */
    @GuardedBy("this")
    private Map<ChunkKey, ChunkState> untold = new LinkedHashMap<>();

    SettledNotices(PeerContext station, Term term) {
        this.station = station;
        this.term = term;
    }

    /** All members have this state of a chunk. */
    void add(ChunkState state) {
        boolean first;
        synchronized (this) {
            first = untold.isEmpty();
            ChunkKey key = new ChunkKey(state.oid(), state.index());
            if (untold.size() < MAX_CHUNKS || untold.containsKey(key)) {
                untold.put(key, state);
            }
        }
        if (first) {
            station.world().scheduler().schedule(this::tell, DELAY_MS);
        }
    }

    private void tell() {
        List<ChunkState> states;
        synchronized (this) {
            states = List.copyOf(untold.values());
            untold = new LinkedHashMap<>();
        }
        if (term.hasEnded()) {
            return;
        }
        Settled notice = new Settled(term.groupId(), term.epoch(), states);
        for (Term.Peer peer : term.servingPeers()) {
            Message message = peer.addressed(Message.of(notice::toBytes));
            // It tells of many operations, and is part of none.
            Futures.finish(
                    Scope.get(
                            Span.NONE,
                            () -> station.members().askOnce(peer.server(), message, TIMEOUT_MS)),
                    (reply, _) -> {
                        if (reply != null) {
                            reply.release();
                        }
                    });
        }
    }
}
