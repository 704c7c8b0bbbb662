package io.cairn.metadata;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.metadata.snapshot.HeldSpace;
import io.cairn.metadata.snapshot.SnapshotRecord;
import io.cairn.metadata.state.InodeCache;
import io.cairn.metadata.state.StoredState;
import io.cairn.metadata.state.View;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The space that snapshots hold, counted chunk by chunk through what they show of each file. */
final class HeldRecount {
    private static final int COPIES = 3;

    /** No file of these tests has more. */
    private static final int CHUNKS = 32;

    private final Map<List<Long>, Long> bytes = new HashMap<>();
    private final Map<List<Long>, Set<Integer>> shownBy = new HashMap<>();

    /** The count of the masters is that of this one. */
    static HeldSpace.Outcome compare(Namespace namespace, long lastIno) {
        List<SnapshotRecord> live =
                namespace.snapshots().stream()
                        .filter(SnapshotRecord::isLive)
                        .sorted(Comparator.comparingLong(SnapshotRecord::version))
                        .toList();
        HeldRecount recount = new HeldRecount();
        Set<List<Long>> living = new HashSet<>();
        try (StoredState state = namespace.snapshot()) {
            View view = new View(state, new InodeCache());
            for (long ino = 1; ino <= lastIno; ino++) {
                living.addAll(chunks(view.inode(ino)).keySet());
                for (SnapshotRecord each : live) {
                    // Files that were open and had no name then are kept, too.
                    recount.show(each.number(), view.at(each.moment()).inode(ino));
                }
            }
        }
        Map<Integer, Long> alone = new HashMap<>();
        live.forEach(snapshot -> alone.put(snapshot.number(), 0L));
        long total = 0;
        for (Map.Entry<List<Long>, Set<Integer>> each : recount.shownBy.entrySet()) {
            if (!living.contains(each.getKey())) {
                long held = recount.bytes.getOrDefault(each.getKey(), 0L);
                total += held;
                if (each.getValue().size() == 1) {
                    alone.merge(List.copyOf(each.getValue()).getFirst(), held, Long::sum);
                }
            }
        }
        try (StoredState state = namespace.snapshot()) {
            HeldSpace.Outcome found =
                    new HeldSpace(state, _ -> COPIES, Long.MAX_VALUE).count(() -> false);
            assertEquals(new HeldSpace.Outcome(total, alone, true), found);
            return found;
        }
    }

    private void show(int snapshot, @Nullable Inode inode) {
        chunks(inode)
                .forEach(
                        (chunk, length) -> {
                            bytes.merge(chunk, length, Math::max);
                            shownBy.computeIfAbsent(chunk, _ -> new HashSet<>()).add(snapshot);
                        });
    }

    /** File, object and place of each chunk, and how many bytes of the file are in it. */
    private static Map<List<Long>, Long> chunks(@Nullable Inode inode) {
        Map<List<Long>, Long> found = new HashMap<>();
        Layout layout = inode == null || inode.inline() != null ? null : inode.layout();
        if (inode == null || layout == null) {
            return found;
        }
        long size = inode.attributes().size();
        assertTrue(layout.chunkBehind(size) <= CHUNKS, "count more chunks here");
        for (long chunk = 0; chunk < CHUNKS; chunk++) {
            Layout.Run run = layout.runOf(chunk);
            long from = chunk * layout.chunkSizeBytes();
            long length = Math.clamp(size - from, 0, layout.chunkSizeBytes());
            found.put(
                    List.of(inode.ino(), run.oid(), (long) run.poolId(), chunk),
                    run.poolId() == 0 ? 0 : length * COPIES);
        }
        return found;
    }
}
