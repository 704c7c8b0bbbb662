package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.Endpoint;
import io.cairn.nfs.NfsClient;
import io.cairn.nfs.NfsError;
import io.cairn.nfs.rpc.Credential;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Gateways end, and the work of their clients goes on. */
@Timeout(240)
final class NfsRestartTest {
    /** A fresh JVM without its cache of classes is the most of it. */
    private static final double PAUSE_LIMIT_SECONDS = 4;

    private static final double HANG_LIMIT_SECONDS = 60;

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
        master = up.await("master +(127\\.0\\.0\\.1:\\d+)", 60).group(1);
        // Without a list root is nobody here, and ports below 1024 are asked for.
        exports("add", "/ *(rw,no_root_squash,insecure)");
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
        restart(HANG_LIMIT_SECONDS);
    }

    /** The start of a JVM is most of the pause, and so it depends on what else the machine does. */
    @Test
    @Tag("long")
    void aRestartTakesSeconds() throws Exception {
        restart(PAUSE_LIMIT_SECONDS);
    }

    private void restart(double limitSeconds) throws Exception {
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
            assertShortPause("restart", writer, limitSeconds);
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
            assertShortPause("move", writer, PAUSE_LIMIT_SECONDS);
            writer.verify();
        }
    }

    private static void assertShortPause(String what, NfsWriter writer, double limitSeconds) {
        System.out.println(what + ": longest call " + writer.pauseSeconds() + " s");
        assertTrue(
                writer.pauseSeconds() < limitSeconds,
                () -> what + " took " + writer.pauseSeconds() + " s");
    }

    @Test
    void exportsAreChangedWithoutARestart() throws Exception {
        int port = ProcessCluster.freePort();
        gateway(port);
        Endpoint endpoint = new Endpoint("127.0.0.1", port);
        try (NfsClient client = new NfsClient(endpoint, Credential.sys(0, 0))) {
            NfsClient.Handle root = client.mount("/");
            client.mkdir(root, "data");
            exports("add", "/data *(rw,no_root_squash,insecure)");
            exports("remove", "--yes", "/");
            Poll.until("export of /data alone", 60, () -> isRefused(client, "/"));
            client.mount("/data");
            NfsError gone = assertThrows(NfsError.class, () -> client.getattr(root));
            assertEquals(70, gone.status(), "STALE");
            assertTrue(exports().contains("/data *(rw,no_root_squash,insecure)"), exports());
            exports("remove", "--yes", "/data");
            Poll.until("end of the export", 60, () -> isRefused(client, "/data"));
        }
    }

    private static boolean isRefused(NfsClient client, String path) {
        try {
            client.mount(path);
            return false;
        } catch (NfsError e) {
            return true;
        }
    }

    private String exports(String... words) throws Exception {
        List<String> all = new ArrayList<>(List.of("nfs", "exports"));
        all.addAll(List.of(words));
        all.addAll(List.of("--data", directory.resolve("data").toString()));
        CommandResult result = CommandResult.of(all);
        assertEquals(0, result.code(), result.errors());
        return result.out();
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
