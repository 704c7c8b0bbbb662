package io.cairn.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.session.SessionState;
import io.cairn.fs.Caller;
import io.cairn.fs.Name;
import io.cairn.testkit.simulated.Simulation;
import io.cairn.wire.master.Reply.SessionReply;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Another cluster has come to the address of the masters, by whatever mistake. */
class ForeignClusterTest {
    private final FakeCluster cluster = new FakeCluster(16);

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void nothingIsAskedOfAnotherCluster() {
        CairnFileSystem fs = cluster.connect(cluster.settings().withRequestTimeoutMs(1500));
        fs.mkdir(Caller.ROOT, 1, Name.of("a"), 0755);
        cluster.shared.clusterId = 78;
        cluster.shared.loseSessions();
        assertThrows(FsException.class, () -> fs.mkdir(Caller.ROOT, 1, Name.of("b"), 0755));
        cluster.shared.clusterId = 77;
        fs.mkdir(Caller.ROOT, 1, Name.of("c"), 0755);
        FsException absent =
                assertThrows(FsException.class, () -> fs.lookup(Caller.ROOT, 1, Name.of("b")));
        assertEquals(Errno.ENOENT, absent.errno(), "it was done elsewhere");
    }

    @Test
    void theErrorNamesBothClustersAndTheRemedy() {
        SessionState state = new SessionState(new Simulation(1), new Random(1));
        state.requireCluster(reply(0xab));
        state.opened(reply(0xab));
        state.requireCluster(reply(0xab));
        FsException error =
                assertThrows(FsException.class, () -> state.requireCluster(reply(0xcd)));
        assertEquals(Errno.WRONG_CLUSTER, error.errno());
        String text = String.valueOf(error.getMessage());
        assertTrue(text.contains("00000000000000ab"), text);
        assertTrue(text.contains("00000000000000cd"), text);
        assertTrue(text.contains("mount"), text);
    }

    private static SessionReply reply(long clusterId) {
        return new SessionReply(5, clusterId, 15_000, 4096, 1);
    }
}
