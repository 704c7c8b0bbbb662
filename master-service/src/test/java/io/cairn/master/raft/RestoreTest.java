package io.cairn.master.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.master.backup.BackupHead;
import io.cairn.master.backup.BackupWriter;
import io.cairn.master.backup.Restore;
import io.cairn.master.raft.RatisSettings.CheckpointRule;
import io.cairn.master.store.MemoryDirectory;
import io.cairn.master.store.Position;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.state.StoredState;
import io.cairn.runtime.file.Durable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All masters lost their directories, and a backup is there: on real Ratis. */
class RestoreTest {
    private static final CheckpointRule OFTEN = new CheckpointRule(200, 64 << 10);

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    private Path backup(Namespace namespace) throws IOException {
        Path file = directory.resolve("backup");
        try (StoredState state = namespace.snapshot();
                OutputStream out = Files.newOutputStream(file)) {
            BackupHead head =
                    new BackupHead(
                            namespace.clusterId(),
                            state.appliedTerm(),
                            state.appliedIndex(),
                            0,
                            namespace.level(),
                            "test");
            BackupWriter.write(state, head, out);
        }
        return file;
    }

    /** A backup holds no keys: with TLS they are there before it. */
    private static Path putKeyBack(Path directory) throws IOException {
        Path keys = Files.createDirectories(directory.resolve("tls"));
        return Files.writeString(keys.resolve("authority.key"), "secret");
    }

    private static Position restore(Path directory, String id, Path file, long newCluster)
            throws IOException {
        return Recovery.restore(
                directory,
                id,
                (scratch, checkpoint) -> {
                    long kept =
                            Restore.restore(file, scratch, checkpoint, newCluster)
                                    .head()
                                    .clusterId();
                    return newCluster == 0 ? kept : newCluster;
                },
                new Random(5));
    }

    @Test
    void aClusterGoesOnWithABackup() throws Exception {
        try (TestGroup group = new TestGroup(directory.resolve("g"), 3, OFTEN)) {
            group.startAll();
            TestSession session = new TestSession(group::leaderLog, 4711);
            session.create("kept");
            Path file = backup(group.leaderLog().namespace());
            session.create("lost");
            for (int i = 0; i < 3; i++) {
                group.stop(i);
                Durable.deleteTree(group.directory(i));
            }
            group.found = false;

            Position position = restore(group.directory(1), "m2", file, 0);
            assertTrue(position.index() > 0);
            group.startAll();
            assertEquals(1, group.leader());
            RatisLog log = group.log(1);
            assertTrue(log.isRecovering());
            assertTrue(log.term() > position.term() + 1_000, "no term is used again");
            assertTrue(TestSession.has(log, "kept"));
            assertFalse(TestSession.has(log, "lost"));
            assertEquals(4711, log.namespace().clusterId());
            log.stateRecovered();
            TestGroup.await(
                    "the others to join",
                    () -> group.log(0).waiting() == null && group.log(2).waiting() == null);
            new TestSession(group::leaderLog).create("new");
            group.awaitAgreement();

            for (int i = 0; i < 3; i++) {
                group.stop(i);
            }
            group.startAll();
            new TestSession(group::leaderLog).create("newer");
            group.awaitAgreement();
            assertTrue(TestSession.has(group.leaderLog(), "kept"));
        }
    }

    @Test
    void aMasterAloneGoesOnAsAnotherCluster() throws Exception {
        try (TestGroup group = new TestGroup(directory.resolve("g"), 1, OFTEN)) {
            group.start(0);
            new TestSession(group::leaderLog, 4711).create("kept");
            Path file = backup(group.leaderLog().namespace());
            group.stop(0);
            IOException used =
                    assertThrows(
                            IOException.class, () -> restore(group.directory(0), "m1", file, 0));
            assertTrue(used.getMessage().contains("is not empty"), used.getMessage());
            Durable.deleteTree(group.directory(0));
            Path key = putKeyBack(group.directory(0));
            group.found = false;
            restore(group.directory(0), "m1", file, 99);
            assertTrue(Files.exists(key));
            RatisLog log = group.start(0);
            assertEquals(0, group.leader());
            assertTrue(log.isRecovering());
            assertEquals(99, log.namespace().clusterId());
            assertTrue(TestSession.has(log, "kept"));
            log.stateRecovered();
            assertFalse(log.isRecovering());
            new TestSession(group::leaderLog).create("new");
            group.stop(0);
            assertTrue(TestSession.has(group.start(0), "new"));
        }
    }

    /**
     * A directory that was not restored as a whole is nobody's, and nobody founds a cluster there.
     */
    @Test
    void aDamagedBackupLeavesNothingThatStarts() throws Exception {
        try (TestGroup group = new TestGroup(directory.resolve("g"), 1, OFTEN)) {
            group.start(0);
            new TestSession(group::leaderLog, 4711).create("kept");
            Path file = backup(group.leaderLog().namespace());
            group.stop(0);
            Durable.deleteTree(group.directory(0));
            byte[] whole = Files.readAllBytes(file);
            Files.write(file, java.util.Arrays.copyOf(whole, whole.length - 1));
            Path key = putKeyBack(group.directory(0));
            IOException cut =
                    assertThrows(
                            IOException.class, () -> restore(group.directory(0), "m1", file, 0));
            assertTrue(Files.exists(key));
            assertTrue(cut.getMessage().contains(file + " is no whole backup"), cut.getMessage());
            group.found = false;
            assertThrows(IOException.class, () -> group.start(0));
            Durable.deleteTree(group.directory(0));
            Files.write(file, whole);
            restore(group.directory(0), "m1", file, 0);
            assertTrue(TestSession.has(group.start(0), "kept"));
        }
    }
}
