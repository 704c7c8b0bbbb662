package io.cairn.chunk.group;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.chunk.peer.Term;
import io.cairn.wire.chunk.ChunkReply.ChunkState;
import io.cairn.wire.chunk.ChunkRequest.ChunkKey;
import io.cairn.wire.chunk.ChunkRequest.WriteMark;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The states of the chunks of a group when all its members had stopped and the first came back, as
 * far as they were changed since. They tell which of the writes acknowledged before are there. A
 * chunk that was not changed tells it itself. Bounded: of the oldest nothing is known any more.
 * Thread-safe.
 */
final class Origins {
    private static final int MAX_CHUNKS = 16_384;

    @GuardedBy("this")
    private final LinkedHashMap<ChunkKey, WriteMark> origins = new LinkedHashMap<>();

    @GuardedBy("this")
    private long since;

    /** A chunk is about to be changed in a term. */
    void note(Term term, ChunkState before) {
        boolean old = before.epoch() < term.unbrokenSince();
        if (old && before.sequence() > 0) {
            note(
                    term.unbrokenSince(),
                    new ChunkKey(before.oid(), before.index()),
                    new WriteMark(before.epoch(), before.sequence()));
        }
    }

    /** A chunk stood at a write when the group came back in the epoch {@code unbrokenSince}. */
    synchronized void note(long unbrokenSince, ChunkKey key, WriteMark origin) {
        if (unbrokenSince > since) {
            since = unbrokenSince;
            origins.clear();
        }
        if (unbrokenSince == since
                && origins.putIfAbsent(key, origin) == null
                && origins.size() > MAX_CHUNKS) {
            Map.Entry<ChunkKey, WriteMark> eldest = origins.entrySet().iterator().next();
            origins.remove(eldest.getKey());
        }
    }

    /** The state that a chunk had, if it was changed since and that is remembered. */
    synchronized @Nullable WriteMark find(long unbrokenSince, ChunkKey key) {
        return unbrokenSince == since ? origins.get(key) : null;
    }
}
