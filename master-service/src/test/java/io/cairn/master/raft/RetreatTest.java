package io.cairn.master.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.master.raft.member.Hello;
import io.cairn.testkit.ManualClock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class RetreatTest {
    private final ManualClock clock = new ManualClock(1_000);
    private final Map<String, Hello> others = new HashMap<>();
    private final List<String> asked = new ArrayList<>();
    private CompletableFuture<Void> handover = new CompletableFuture<>();
    private boolean leads = true;
    private boolean low = true;
    private final Retreat retreat =
            new Retreat(() -> leads, () -> low, () -> others, this::lead, clock);

    private CompletableFuture<Void> lead(String id) {
        asked.add(id);
        handover = new CompletableFuture<>();
        return handover;
    }

    private void tell(String id, boolean votes, boolean isLow, long last) {
        others.put(
                id,
                new Hello(
                        id,
                        1,
                        votes,
                        true,
                        7,
                        0,
                        false,
                        3,
                        last,
                        false,
                        isLow,
                        false,
                        new Endpoint("client.example", 1),
                        0,
                        List.of(),
                        List.of()));
    }

    @Test
    void theFarthestWithRoomAndAVoteLeads() {
        tell("m2", true, false, 10);
        tell("m3", true, false, 12);
        tell("m4", true, true, 13);
        tell("m5", false, false, 14);
        assertTrue(retreat.isPossible());
        retreat.tick();
        retreat.tick();
        assertEquals(List.of("m3"), asked);
    }

    @Test
    void nobodyIsAskedWithoutNeed() {
        retreat.tick();
        assertFalse(retreat.isPossible(), "nobody is there");
        tell("m2", true, true, 10);
        retreat.tick();
        assertFalse(retreat.isPossible(), "the other disk is full as well");
        tell("m2", true, false, 10);
        low = false;
        retreat.tick();
        low = true;
        leads = false;
        retreat.tick();
        assertEquals(List.of(), asked);
    }

    @Test
    void afterATryInVainItRests() {
        tell("m2", true, false, 10);
        retreat.tick();
        assertTrue(retreat.isPossible());
        handover.completeExceptionally(new FsException(Errno.NOT_READY, "no votes"));
        assertFalse(retreat.isPossible(), "changes are refused meanwhile, they do not wait");
        retreat.tick();
        assertEquals(1, asked.size());
        clock.advance(Retreat.PAUSE_MS);
        retreat.tick();
        assertEquals(2, asked.size());
        handover.complete(null);
        assertTrue(retreat.isPossible());
    }
}
