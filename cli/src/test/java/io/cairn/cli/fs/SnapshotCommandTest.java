package io.cairn.cli.fs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class SnapshotCommandTest {
    @Test
    void theRootHasNoSecondSlash() {
        assertEquals("/.snapshots", SnapshotCommand.list(new ClusterPath("/", null)));
        assertEquals("/a/b/.snapshots", SnapshotCommand.list(new ClusterPath("/a/b", null)));
    }
}
