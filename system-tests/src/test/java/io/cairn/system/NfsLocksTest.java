package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.Endpoint;
import io.cairn.fs.AttributeChange;
import io.cairn.nfs.NfsClient;
import io.cairn.nfs.lock.NlmClient;
import io.cairn.nfs.rpc.Credential;
import io.cairn.testkit.Shell;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Locks over NFS outlive gateways and masters, and mounts see them. */
@Timeout(240)
final class NfsLocksTest {
    @TempDir private Path directory;
    private final List<CairnProcess> started = new ArrayList<>();
    private Path mount = Path.of("/");
    private String master = "";

    @BeforeEach
    void startCluster() throws Exception {
        mount = directory.resolve("mnt");
        Files.createDirectories(mount);
        master = "127.0.0.1:" + ProcessCluster.freePort();
        up();
    }

    private CairnProcess up() throws Exception {
        CairnProcess up =
                CairnProcess.start(
                        directory.resolve("up-" + started.size() + ".log"),
                        List.of(
                                "up",
                                "--data",
                                directory.resolve("data").toString(),
                                "--mount",
                                mount.toString(),
                                "--admin",
                                "127.0.0.1:0",
                                "--listen",
                                master));
        started.add(up);
        up.await(CairnProcess.READY, 60);
        return up;
    }

    @AfterEach
    void stop() throws Exception {
        started.forEach(CairnProcess::close);
        ProcessCluster.unmount(mount);
    }

    private CairnProcess gateway(int port) throws Exception {
        CairnProcess gateway =
                CairnProcess.start(
                        directory.resolve("nfs-" + port + "-" + started.size() + ".log"),
                        List.of(
                                "nfs",
                                "--masters",
                                master,
                                "--listen",
                                "127.0.0.1:" + port,
                                "--export",
                                "/ *(rw,no_root_squash,insecure)"));
        started.add(gateway);
        gateway.await(CairnProcess.READY, 60);
        return gateway;
    }

    private static NlmClient machine(int port, String name) {
        return new NlmClient(new Endpoint("127.0.0.1", port), name);
    }

    private NlmClient.Range file(int port) {
        try (NfsClient client =
                new NfsClient(new Endpoint("127.0.0.1", port), Credential.sys(0, 0))) {
            NfsClient.Handle root = client.mount("/");
            NfsClient.Node made = client.create(root, "f", 0, AttributeChange.NONE);
            return new NlmClient.Range(made.handle().bytes(), 7, 0, 10);
        }
    }

    private String cairn(String... arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of("nfs", "locks"));
        all.addAll(List.of(arguments));
        all.addAll(List.of("--data", directory.resolve("data").toString()));
        CommandResult result = CommandResult.of(all);
        assertEquals(0, result.code(), result.errors());
        return result.out();
    }

    /** What fcntl(2) through the mount says; the range is length and start. */
    private String lockThroughMount(String range) throws Exception {
        String script =
                "import fcntl,sys\n"
                        + "f=open('mnt/f','r+')\n"
                        + "try:\n"
                        + "  fcntl.lockf(f,fcntl.LOCK_EX|fcntl.LOCK_NB,"
                        + range
                        + ")\n"
                        + "  print('granted')\n"
                        + "except OSError as e: print('denied',e.errno)\n";
        Path file = directory.resolve("lock.py");
        Files.writeString(file, script);
        return Shell.run(directory, "python3 lock.py").strip();
    }

    @Test
    void killedGatewayKeepsTheLocksOfItsClients() throws Exception {
        int first = ProcessCluster.freePort();
        int second = ProcessCluster.freePort();
        CairnProcess gateway = gateway(first);
        gateway(second);
        NlmClient.Range range = file(first);
        try (NlmClient alpha = machine(first, "alpha")) {
            assertEquals(NlmClient.GRANTED, alpha.lock(range, true));
        }
        gateway.kill();
        assertTrue(lockThroughMount("10,0").startsWith("denied"));
        assertEquals("granted", lockThroughMount("10,10"));
        try (NlmClient alpha = machine(second, "alpha");
                NlmClient beta = machine(second, "beta")) {
            assertEquals(NlmClient.DENIED, beta.lock(range, true));
            assertEquals(NlmClient.GRANTED, alpha.reclaim(range, true));
            assertEquals(NlmClient.GRANTED, alpha.unlock(range.at(0, 5)));
            assertEquals(NlmClient.GRANTED, beta.lock(range.at(0, 5), true));
        }
        gateway(first);
        try (NlmClient alpha = machine(first, "alpha")) {
            assertEquals(new NlmClient.Holder(true, 7, 0, 5), alpha.test(range.at(0, 5), false));
            alpha.freeAll();
        }
        assertEquals("granted", lockThroughMount("5,5"));
    }

    @Test
    void restartedClusterKeepsThemAndTheOperatorReleasesThem() throws Exception {
        int port = ProcessCluster.freePort();
        gateway(port);
        NlmClient.Range range = file(port);
        try (NlmClient alpha = machine(port, "alpha")) {
            assertEquals(NlmClient.GRANTED, alpha.lock(range, true));
        }
        for (CairnProcess each : List.copyOf(started)) {
            each.kill();
        }
        ProcessCluster.unmount(mount);
        up();
        gateway(port);
        try (NlmClient beta = machine(port, "beta")) {
            Poll.until(
                    "answer of the cluster", 30, () -> beta.lock(range, true) == NlmClient.DENIED);
            String listed = cairn();
            assertTrue(listed.matches("(?s)NAME .*HELD .*\nalpha +127.0.0.1 .* 1 .*"), listed);
            assertEquals(listed, cairn("list"));
            assertTrue(cairn("release", "alpha", "--plan").contains("locks of alpha (127.0.0.1)"));
            assertTrue(cairn("release", "alpha", "--yes").contains("released"));
            assertEquals("none", cairn().strip());
            assertNull(beta.test(range, true));
            assertEquals(NlmClient.GRANTED, beta.lock(range, true));
        }
    }
}
