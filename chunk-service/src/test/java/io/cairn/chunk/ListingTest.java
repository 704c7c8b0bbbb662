package io.cairn.chunk;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server has a lease before the cluster map lists its targets. */
class ListingTest {
    @TempDir private Path directory;

    @Test
    void aServerThatTheMapDoesNotKnowIsNotListed() {
        try (ChunkCluster cluster = new ChunkCluster(3, directory, 2, 2, 1)) {
            assertTrue(cluster.server(1).service.isListed());
            cluster.start(3);
            ChunkService added = cluster.server(3).service;
            assertFalse(added.isListed());
            cluster.until(() -> added.isReady() && added.clusterMap().epoch() > 0, 20_000);
            assertFalse(added.isListed(), "the master of this test adds no servers");
        }
    }
}
