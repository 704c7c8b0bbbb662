package io.cairn.chunk.group;

import static io.cairn.chunk.ChunkCluster.random;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.cairn.base.Errno;
import io.cairn.chunk.ChunkCluster;
import io.cairn.chunk.MemoryDirectory;
import io.cairn.cluster.MemberState;
import io.cairn.wire.chunk.ChunkReply.ChunkState;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One change, and what the members make of it. */
class FanOutTest {
    private static final int GROUP = 1;
    private static final long OID = 7;
    private static final int BYTES = 30_000;

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    private ChunkCluster cluster() {
        return new ChunkCluster(3, directory, 3, 3, 1);
    }

    private static ChunkState state(ChunkCluster cluster, int server) {
        return cluster.state(server, GROUP, OID, 0);
    }

    private static void write(ChunkCluster cluster, long seed) {
        cluster.await(cluster.client.write(GROUP, OID, 0, 100, random(seed, BYTES)));
    }

    private static void isEverywhere(ChunkCluster cluster, long seed) {
        assertEquals(List.of(), cluster.differences());
        byte[] read = cluster.await(cluster.client.read(GROUP, OID, 0, 100, BYTES));
        assertArrayEquals(random(seed, BYTES), read);
    }

    private static void allServe(ChunkCluster cluster) {
        for (int server = 1; server <= 3; server++) {
            assertEquals(MemberState.SERVING, cluster.master.group(GROUP).stateOf(server));
        }
    }

    @Test
    void allMembersHaveWhatIsAcknowledged() {
        try (ChunkCluster cluster = cluster()) {
            for (int i = 1; i <= 5; i++) {
                write(cluster, i);
                for (int server = 1; server <= 3; server++) {
                    assertEquals(i, state(cluster, server).sequence());
                }
            }
            isEverywhere(cluster, 5);
        }
    }

    @Test
    void aMemberThatLacksTheWriteBeforeGetsTheWholeChunk() {
        try (ChunkCluster cluster = cluster()) {
            write(cluster, 1);
            int follower = cluster.followersOf(GROUP).get(0);
            cluster.server(follower).target.delete(GROUP, OID, 0);
            cluster.await(cluster.client.write(GROUP, OID, 0, 0, new byte[10]));
            isEverywhere(cluster, 1);
            allServe(cluster);
        }
    }

    @Test
    void aMemberWithoutRoomMakesTheChangeUndone() {
        try (ChunkCluster cluster = cluster()) {
            write(cluster, 1);
            int full = cluster.followersOf(GROUP).get(1);
            cluster.server(full).disk.setFull(true);
            Errno errno =
                    cluster.error(cluster.client.write(GROUP, OID, 0, 100_000, random(2, BYTES)));
            assertEquals(Errno.ENOSPC, errno);
            cluster.server(full).disk.setFull(false);
            cluster.simulation.run(2_000);
            for (int server = 1; server <= 3; server++) {
                assertEquals(100 + BYTES, state(cluster, server).lengthBytes(), "c" + server);
            }
            isEverywhere(cluster, 1);
            allServe(cluster);
            write(cluster, 3);
            isEverywhere(cluster, 3);
        }
    }

    @Test
    void aMemberWithoutRoomThatIsAboutToServeLeavesInstead() {
        try (ChunkCluster cluster = cluster()) {
            write(cluster, 1);
            int full = cluster.followersOf(GROUP).get(1);
            cluster.master.setPostpones(true);
            cluster.master.setState(GROUP, full, MemberState.SYNCING);
            cluster.until(() -> cluster.master.syncedCount() > 0, 20_000);
            cluster.server(full).disk.setFull(true);
            cluster.await(cluster.client.write(GROUP, OID, 0, 100_000, random(2, BYTES)));
            assertFalse(cluster.master.failures().isEmpty(), "it was to leave");
            assertNotEquals(MemberState.SERVING, cluster.master.group(GROUP).stateOf(full));
            cluster.server(full).disk.setFull(false);
            cluster.master.setPostpones(false);
            cluster.untilWhole(60_000);
            isEverywhere(cluster, 1);
        }
    }

    @Test
    void aHeadWithoutRoomBeginsNowhere() {
        try (ChunkCluster cluster = cluster()) {
            write(cluster, 1);
            int head = cluster.headOf(GROUP);
            cluster.server(head).disk.setFull(true);
            Errno errno =
                    cluster.error(cluster.client.write(GROUP, OID, 0, 100_000, random(2, BYTES)));
            assertEquals(Errno.ENOSPC, errno);
            for (int server = 1; server <= 3; server++) {
                assertEquals(1, state(cluster, server).sequence(), "c" + server);
            }
            allServe(cluster);
        }
    }

    @Test
    void aMemberThatFailsLeavesAndTheChangeIsMadeWithoutIt() {
        try (ChunkCluster cluster = cluster()) {
            write(cluster, 1);
            int failing = cluster.followersOf(GROUP).get(0);
            cluster.server(failing).disk.setWriteFails(true);
            write(cluster, 2);
            assertNotEquals(MemberState.SERVING, cluster.master.group(GROUP).stateOf(failing));
            for (int server = 1; server <= 3; server++) {
                if (server != failing) {
                    byte[] stored = cluster.bytes(server, GROUP, OID, 0);
                    byte[] written = Arrays.copyOfRange(stored, 100, 100 + BYTES);
                    assertArrayEquals(random(2, BYTES), written, "c" + server);
                }
            }
        }
    }
}
