package io.cairn.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.PlacementGroup.Member;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClusterMapTest {
    private static final ChunkServer SERVER = new ChunkServer(1, "c1", new Endpoint("h", 1), 77);
    private static final Target TARGET = new Target(5, 99, 1);
    private static final Pool OLD = new Pool(1, 2, 1, 1);
    private static final Pool YOUNG = new Pool(2, 2, 2, 1);
    private static final PlacementGroup GROUP =
            new PlacementGroup(
                    1,
                    1,
                    3,
                    List.of(
                            new Member(4, MemberState.OFFLINE),
                            new Member(5, MemberState.SERVING),
                            new Member(6, MemberState.SYNCING),
                            new Member(7, MemberState.WAITING)));

    private static ClusterMap map(long epoch) {
        return new ClusterMap(
                epoch, List.of(SERVER), List.of(TARGET), List.of(OLD, YOUNG), List.of(GROUP));
    }

    @Test
    void partsAreFoundById() {
        ClusterMap map = map(1);
        assertEquals(SERVER, map.server(1));
        assertEquals(TARGET, map.target(5));
        assertEquals(SERVER, map.serverOfTarget(5));
        assertEquals(OLD, map.pool(1));
        assertEquals(GROUP, map.group(1));
        assertNull(map.server(2));
        assertNull(map.target(1));
        assertNull(map.serverOfTarget(1));
        assertNull(map.pool(3));
        assertNull(map.group(2));
    }

    @Test
    void theYoungestPoolTakesNewFiles() {
        assertEquals(YOUNG, map(1).youngestPool(2));
        assertNull(map(1).youngestPool(3));
    }

    @Test
    void mapsAreEqualByContents() {
        assertEquals(map(1), map(1));
        assertEquals(map(1).hashCode(), map(1).hashCode());
        assertNotEquals(map(1), map(2));
        assertNotEquals(map(0), ClusterMap.EMPTY);
    }

    @Test
    void partsAreCopied() {
        List<ChunkServer> servers = new ArrayList<>(List.of(SERVER));
        ClusterMap map = new ClusterMap(1, servers, List.of(), List.of(), List.of());
        servers.clear();
        assertEquals(List.of(SERVER), List.copyOf(map.servers()));
    }

    @Test
    void theHeadIsTheFirstThatServes() {
        assertEquals(new Member(5, MemberState.SERVING), GROUP.head());
        assertNull(new PlacementGroup(1, 1, 1, List.of(new Member(1, MemberState.SYNCING))).head());
        assertTrue(GROUP.isCurrent(5));
        assertTrue(GROUP.isCurrent(6));
        assertFalse(GROUP.isCurrent(4));
        assertFalse(GROUP.isCurrent(7));
        assertFalse(GROUP.isCurrent(8));
        assertEquals(MemberState.WAITING, GROUP.stateOf(7));
        assertNull(GROUP.stateOf(8));
    }

    @Test
    void policiesInherit() {
        Policy parent = new Policy(3, 20, 2);
        assertEquals(parent, Policy.STANDARD.orElse(parent));
        assertEquals(new Policy(3, 20, 0), new Policy(0, 0, 0).orElse(parent));
        assertEquals(new Policy(1, 16, 5), new Policy(1, 16, 5).orElse(parent));
    }
}
