package io.cairn.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Gateways end, and the work of their clients goes on. */
@Timeout(240)
final class NfsRestartTest {
    @TempDir private Path directory;
    private final List<CairnProcess> started = new ArrayList<>();
    private String master = "";

    @BeforeEach
    void startCluster() throws Exception {
        CairnProcess up =
                CairnProcess.start(
                        directory.resolve("up.log"),
                        List.of(
                                "up",
                                "--data",
                                directory.resolve("data").toString(),
                                "--admin",
                                "127.0.0.1:0",
                                "--listen",
                                "127.0.0.1:0"));
        started.add(up);
        up.await(CairnProcess.READY, 60);
        master = up.await("master +(127\\.0\\.0\\.1:\\d+)", 10).group(1);
    }

    @AfterEach
    void stop() {
        started.forEach(CairnProcess::close);
    }

    private CairnProcess gateway(int port) throws Exception {
        CairnProcess gateway =
                CairnProcess.start(
                        directory.resolve("nfs-" + port + "-" + started.size() + ".log"),
                        List.of("nfs", "--masters", master, "--listen", "127.0.0.1:" + port));
        started.add(gateway);
        gateway.await(CairnProcess.READY, 60);
        return gateway;
    }

    @Test
    void killedAndStartedAgainUnderAWriter() throws Exception {
        int port = ProcessCluster.freePort();
        CairnProcess gateway = gateway(port);
        try (NfsWriter writer = new NfsWriter(List.of(port))) {
            for (int i = 0; i < 3; i++) {
                writer.awaitProgress(200);
                gateway.kill();
                gateway = gateway(port);
            }
            writer.awaitProgress(200);
            writer.finish();
            assertTrue(writer.resentBlocks() > 0, "nothing was ever at stake");
            writer.verify();
        }
    }

    @Test
    void clientMovesToAnotherGateway() throws Exception {
        int first = ProcessCluster.freePort();
        int second = ProcessCluster.freePort();
        CairnProcess gateway = gateway(first);
        gateway(second);
        try (NfsWriter writer = new NfsWriter(List.of(first, second))) {
            writer.awaitProgress(200);
            gateway.kill();
            writer.awaitProgress(400);
            writer.finish();
            assertEquals(1, writer.moves());
            writer.verify();
        }
    }

    @Test
    void toldToEndItCommitsWhatIsBuffered() throws Exception {
        int port = ProcessCluster.freePort();
        CairnProcess gateway = gateway(port);
        try (NfsWriter writer = new NfsWriter(List.of(port))) {
            writer.awaitProgress(100);
            gateway.terminate();
            assertEquals(143, gateway.awaitExit(30));
            gateway(port);
            writer.awaitProgress(100);
            writer.finish();
            writer.verify();
        }
    }
}
