package io.cairn.master.check;

import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.PlacementGroup.Member;
import io.cairn.wire.chunk.ChunkReply.ChunkState;
import io.cairn.wire.chunk.ChunkReply.ListReply;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The chunks of a group in order, each with the serving members that hold it: the lists of all
 * members at once, a page at a time. For one thread.
 */
final class GroupChunks {
    /** Asks a target for a page behind a key. */
    @FunctionalInterface
    interface Source {
        ListReply page(int target, long afterOid, long afterIndex);
    }

    private final List<Cursor> cursors = new ArrayList<>();

    /**
     * A chunk of the group.
     *
     * @param state as the first target that has it tells
     * @param lacking targets that serve and do not have it
     */
    record Held(ChunkState state, List<Integer> lacking) {}

    /** Where the list of a member stands. */
    private static final class Cursor {
        private final int target;
        private final Source source;
        private List<ChunkState> page = List.of();
        private int at;
        private boolean end;
        private long lastOid;
        private long lastIndex;

        Cursor(int target, Source source, long afterOid, long afterIndex) {
            this.target = target;
            this.source = source;
            lastOid = afterOid;
            lastIndex = afterIndex;
        }

        @Nullable ChunkState peek() {
            while (at == page.size() && !end) {
                ListReply reply = source.page(target, lastOid, lastIndex);
                page = reply.chunks();
                at = 0;
                end = reply.end() || page.isEmpty();
                if (!page.isEmpty()) {
                    lastOid = page.getLast().oid();
                    lastIndex = page.getLast().index();
                }
            }
            return at < page.size() ? page.get(at) : null;
        }
    }

    /** Those behind a key. */
    GroupChunks(PlacementGroup group, Source source, long afterOid, long afterIndex) {
        for (Member member : group.members()) {
            if (member.state() == MemberState.SERVING) {
                cursors.add(new Cursor(member.targetId(), source, afterOid, afterIndex));
            }
        }
    }

    /** How many members serve. */
    int serving() {
        return cursors.size();
    }

    /** The next chunk, or null at the end. */
    @Nullable Held next() {
        ChunkState first = null;
        for (Cursor cursor : cursors) {
            ChunkState state = cursor.peek();
            if (state != null && (first == null || compare(state, first) < 0)) {
                first = state;
            }
        }
        if (first == null) {
            return null;
        }
        List<Integer> lacking = new ArrayList<>();
        for (Cursor cursor : cursors) {
            ChunkState state = cursor.peek();
            if (state != null && compare(state, first) == 0) {
                cursor.at++;
            } else {
                lacking.add(cursor.target);
            }
        }
        return new Held(first, lacking);
    }

    private static int compare(ChunkState one, ChunkState other) {
        int byOid = Long.compare(one.oid(), other.oid());
        return byOid != 0 ? byOid : Long.compare(one.index(), other.index());
    }
}
