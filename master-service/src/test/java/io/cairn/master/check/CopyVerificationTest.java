package io.cairn.master.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Layout.Run;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.PlacementGroup.Member;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Target;
import io.cairn.metadata.Bench;
import io.cairn.wire.chunk.ChunkReply.CopiesReply;
import io.cairn.wire.chunk.HeadRequest.VerifyCopies;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class CopyVerificationTest {
    private static final int GROUPS = 4;
    private static final int LOG2 = 16;

    /** Chunks that exist, of every object. */
    private final Set<Long> chunks = new TreeSet<>();

    private final List<String> asked = new ArrayList<>();
    private final Inode empty;
    private int failures;
    private int mostAsked = Integer.MAX_VALUE;

    CopyVerificationTest() {
        Bench bench = new Bench();
        empty = bench.inode(bench.create(Bench.ROOT, "file", "").ino());
    }

    private static ClusterMap map() {
        List<PlacementGroup> groups = new ArrayList<>();
        List<Target> targets = new ArrayList<>();
        for (int i = 1; i <= GROUPS; i++) {
            targets.add(new Target(i, i + 100, 1));
            groups.add(new PlacementGroup(i, 1, i, List.of(new Member(i, MemberState.SERVING))));
        }
        return new ClusterMap(
                1,
                List.of(new ChunkServer(1, "c1", new Endpoint("localhost", 1), 1)),
                targets,
                List.of(new Pool(1, 1, 1, GROUPS)),
                groups);
    }

    private Inode file(long sizeChunks, Run... runs) {
        Layout layout = new Layout(LOG2, 0, 5, List.of(runs));
        return empty.withAttributes(empty.attributes().withContents(sizeChunks << LOG2, 0, 1))
                .withContents(layout, null);
    }

    /** A head that verifies two chunks at a time, and has one copy of each. */
    private CopiesReply verify(ClusterMap map, PlacementGroup group, VerifyCopies request) {
        if (failures > 0) {
            failures--;
            throw new FsException(Errno.WRONG_EPOCH, "another map");
        }
        assertEquals(group.id(), request.chunk().group());
        assertEquals(group.epoch(), request.chunk().epoch());
        long from = request.chunk().index();
        asked.add(request.chunk().oid() + ":" + from + "-" + request.endIndex());
        Layout layout = new Layout(LOG2, 0, 5, List.of(Run.of(0, 1, 1)));
        int found = 0;
        for (long index : chunks) {
            PlacementGroup home = map.groupOf(layout, index);
            boolean isHere = home != null && home.id() == group.id();
            if (isHere && index >= from && index < request.endIndex()) {
                if (found == 2) {
                    return new CopiesReply(index, 2, 2, 20, 0, 0);
                }
                found++;
            }
        }
        return new CopiesReply(request.endIndex(), found, found, 10L * found, 0, 0);
    }

    private CopyVerification.Outcome look(Inode file) {
        return new CopyVerification(
                        CopyVerificationTest::map, this::verify, () -> asked.size() < mostAsked)
                .verify(file);
    }

    @Test
    void aHoleCostsNothing() {
        long size = 1L << 40;
        chunks.addAll(List.of(0L, 1L, 2L, 3L, 4L, 8L, 12L, 16L, size - 1, size));
        CopyVerification.Outcome outcome = look(file(size, Run.of(0, 1, 1)));
        assertEquals(new CopiesReply(0, 9, 9, 90, 0, 0), outcome.found());
        assertNull(outcome.missed());
        assertEquals(6, asked.size(), asked::toString);
    }

    @Test
    void everyRunAndTheSourceOfACloneIsLookedAt() {
        chunks.addAll(List.of(0L, 1L, 2L));
        look(file(3, Run.of(0, 1, 7), Run.of(2, 1, 8).cloning(7, 100), Run.of(3, 1, 9)));
        assertEquals(List.of("7:0-2", "7:0-2", "8:2-3", "7:2-3"), asked);
    }

    @Test
    void aGroupThatChangesIsAskedAgain() {
        chunks.add(0L);
        failures = 2;
        CopyVerification.Outcome outcome = look(file(1, Run.of(0, 1, 1)));
        assertEquals(1, outcome.found().chunks());
        assertNull(outcome.missed());
        failures = Integer.MAX_VALUE;
        String missed = String.valueOf(look(file(1, Run.of(0, 1, 1))).missed());
        assertTrue(missed.contains("group ") && missed.contains("another map"), missed);
    }

    @Test
    void nobodyIsAskedAfterTheEnd() {
        chunks.addAll(List.of(0L, 1L, 2L, 3L));
        mostAsked = 2;
        CopyVerification.Outcome outcome = look(file(4, Run.of(0, 1, 1)));
        assertEquals(2, asked.size(), asked::toString);
        assertEquals("the verification was ended", outcome.missed());
        assertEquals(2, outcome.found().chunks());
    }
}
