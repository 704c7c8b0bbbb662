package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.node.Closing;
import io.cairn.testkit.Shell;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A Linux kernel in a virtual machine mounts the cluster over NFS. Runs with the Maven profile
 * {@code kernel-client}, as root. All traffic is recorded and examined for malformed packets.
 */
@Tag("kernel-client")
@Timeout(600)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class KernelClientTest {
    private static final String MASTER = GuestNetwork.CLUSTER + ":9871";
    private static final String SERVICE = GuestNetwork.SERVICE + ":2049";

    /** A kernel whose connection was refused tries again after 3 seconds. */
    private static final double PAUSE_LIMIT_SECONDS = 4;

    @TempDir private static Path directory;
    private final Closing closing = new Closing();
    private Path mount = Path.of("/");
    private Path probe = Path.of("/");
    private GuestNetwork network;
    private KernelGuest guest;
    private CairnProcess gateway;

    @BeforeAll
    void boot() throws Exception {
        Path module =
                Path.of(Objects.requireNonNull(System.getProperty("cairn.root")), "system-tests");
        Path image = module.resolve("target/kernel-client");
        Shell.run(module, "src/test/kernel-client/image " + image, 500);
        probe = image.resolve("root/bin/probe");
        network = closing.add(new GuestNetwork(directory, image));
        startCluster();
        gateway = gateway(SERVICE, network.first());
        guest = closing.add(new KernelGuest(image, directory, network.first()));
        guest.run("sh /services.sh", 60);
        guest.run("mount.nfs " + GuestNetwork.SERVICE + ":/ /mnt -o vers=3,tcp", 60);
    }

    @AfterAll
    void stop() {
        closing.close();
    }

    @BeforeEach
    void record(TestInfo test) throws Exception {
        network.startCapture(test.getTestMethod().orElseThrow().getName());
    }

    @AfterEach
    void examineRecord() throws Exception {
        network.checkCapture();
    }

    private CairnProcess start(String name, List<String> prefix, List<String> arguments)
            throws Exception {
        Path log = directory.resolve(name + ".log");
        Files.deleteIfExists(log);
        CairnProcess process = CairnProcess.start(log, prefix, arguments, Map.of());
        closing.add(process);
        process.await(CairnProcess.READY, 60);
        return process;
    }

    private void startCluster() throws Exception {
        List<String> here = network.first();
        String data = directory.toString();
        List<String> master = new ArrayList<>(List.of("master", "--id", "m1"));
        master.addAll(List.of("--data", data + "/m1", "--listen", MASTER));
        master.addAll(List.of("--raft", "m1=127.0.0.1:9801", "--found", "--replicas", "1"));
        master.add("--insecure-plain");
        master.addAll(List.of("--expect-servers", "1", "--admin", "127.0.0.1:0"));
        start("master", here, master);
        List<String> chunk = new ArrayList<>(List.of("chunk", "--id", "c1"));
        chunk.addAll(List.of("--data", data + "/c1", "--masters", MASTER));
        chunk.addAll(List.of("--listen", GuestNetwork.CLUSTER + ":9831", "--insecure-plain"));
        start("chunk", here, chunk);
        mount = directory.resolve("mnt");
        Files.createDirectories(mount);
        closing.add(() -> ProcessCluster.unmount(mount));
        start("mount", here, List.of("mount", MASTER, mount.toString(), "--foreground"));
    }

    private CairnProcess gateway(String listen, List<String> prefix) throws Exception {
        List<String> command = new ArrayList<>(List.of("nfs", "--masters", MASTER));
        command.addAll(List.of("--listen", listen, "--portmap"));
        command.addAll(List.of("--export", "/ 10.231.0.0/24(rw,no_root_squash)"));
        return start("nfs-" + listen.replace(':', '-'), prefix, command);
    }

    @Test
    void worksAsALocalDirectory() throws Exception {
        String output = guest.run("sh /smoke.sh /mnt/smoke", 400);
        assertTrue(output.contains("smoke is good"), output);
    }

    @Test
    void killedGatewayIsAPauseToAWriter() throws Exception {
        startWriter();
        double slowestSeconds = 0;
        for (int i = 0; i < 3; i++) {
            awaitBlocks(160);
            gateway.kill();
            long start = System.nanoTime();
            gateway = gateway(SERVICE, network.first());
            slowestSeconds = Math.max(slowestSeconds, (System.nanoTime() - start) / 1e9);
        }
        awaitBlocks(160);
        System.out.println("slowest start: " + slowestSeconds + " s");
        checkWriter("restart");
    }

    @Test
    void writerMovesToAnotherGateway() throws Exception {
        try (CairnProcess other = gateway("0.0.0.0:2049", network.second())) {
            startWriter();
            awaitBlocks(160);
            gateway.kill();
            network.moveService();
            awaitBlocks(320);
            checkWriter("move");
            other.kill();
        } finally {
            network.moveServiceBack();
            gateway = gateway(SERVICE, network.first());
        }
    }

    @Test
    void locksExcludeThoseOfMounts() throws Exception {
        guest.run("echo locked >/mnt/l; sync", 20);
        hold("write 0 10 try");
        assertEquals("held 0 10", onMount("holder mnt/l 0 0"));
        assertEquals("locked", onMount("lock mnt/l write 10 5 try 0"));
        gateway.kill();
        gateway = gateway(SERVICE, network.first());
        assertEquals("held 0 10", onMount("holder mnt/l 0 0"));
        guest.run("kill $(cat /tmp/holder)", 20);
        Poll.until("unlock", 30, () -> onMount("holder mnt/l 0 0").equals("free"));
        try (Closing held = new Closing()) {
            held.add(holdOnMount("write 20 10"));
            assertEquals("held 20 10\n", guest.run("probe holder /mnt/l 0 0", 20));
            String denied = guest.run("! probe lock /mnt/l read 25 1 try 0", 20);
            assertEquals("lock: Resource temporarily unavailable\n", denied);
        }
        Poll.until("unlock", 30, () -> guest.run("probe holder /mnt/l 0 0", 20).equals("free\n"));
    }

    @Test
    void lockIsGrantedToOneThatWaits() throws Exception {
        guest.run("echo locked >/mnt/l; sync", 20);
        try (Closing held = new Closing()) {
            held.add(holdOnMount("write 0 0"));
            wait("read 5 1 wait");
        }
        // A client that gets no callback asks again after 30 seconds.
        Poll.until("grant by callback", 10, () -> heldByGuest().equals("locked\n"));
        guest.run("kill $(cat /tmp/holder)", 20);
        Poll.until("unlock", 30, () -> onMount("holder mnt/l 0 0").equals("free"));
        try (Closing held = new Closing()) {
            held.add(holdOnMount("write 0 0"));
            wait("write 0 10 wait");
            gateway.kill();
            gateway = gateway(SERVICE, network.first());
        }
        Poll.until("grant after a restart", 60, () -> heldByGuest().equals("locked\n"));
        guest.run("kill $(cat /tmp/holder)", 20);
    }

    @Test
    void accessListsAreThoseOfALocalDisk() throws Exception {
        guest.run("sh /acl.sh /mnt/acl", 120);
    }

    private String heldByGuest() throws Exception {
        return guest.run("cat /tmp/held", 20);
    }

    /** Lets the guest ask for a lock, in the background. */
    private void wait(String lock) throws Exception {
        String command = "probe lock /mnt/l " + lock + " 600 >/tmp/held 2>&1";
        guest.run(command + " & echo $! >/tmp/holder", 20);
        guest.run("sleep 2", 20);
        assertEquals("", heldByGuest(), "not granted yet");
    }

    private void hold(String lock) throws Exception {
        String command = "probe lock /mnt/l " + lock + " 600 >/tmp/held 2>&1";
        guest.run(command + " & echo $! >/tmp/holder", 20);
        Poll.until("lock in the guest", 30, () -> heldByGuest().equals("locked\n"));
    }

    private AutoCloseable holdOnMount(String lock) throws Exception {
        Path log = Files.createTempFile(directory, "held", ".out");
        Process process =
                new ProcessBuilder((probe + " lock mnt/l " + lock + " try 600").split(" "))
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        AutoCloseable end =
                () -> {
                    process.destroyForcibly();
                    Poll.until("end of the holder", 20, () -> !process.isAlive());
                };
        Poll.until("lock on the mount", 30, () -> Files.readString(log).equals("locked\n"));
        return end;
    }

    private String onMount(String command) throws Exception {
        return Shell.run(directory, probe + " " + command, 30).strip();
    }

    private void startWriter() throws Exception {
        guest.run("rm -f /tmp/stop; probe write /mnt/written /tmp/stop >/tmp/writer 2>&1 &", 10);
    }

    private long writtenBlocks() throws Exception {
        String last = guest.run("tail -n 1 /tmp/writer", 20).strip();
        if (!last.isEmpty() && !last.startsWith("written ")) {
            throw new AssertionError("the writer failed: " + last);
        }
        return last.isEmpty() ? 0 : Long.parseLong(last.substring("written ".length()));
    }

    private void awaitBlocks(long more) throws Exception {
        long goal = writtenBlocks() + more;
        Poll.until("block " + goal, 60, () -> writtenBlocks() >= goal);
    }

    /** Lets it end; every block is there, and none took too long. */
    private void checkWriter(String what) throws Exception {
        guest.run(": >/tmp/stop; while ! grep -q longest /tmp/writer; do sleep 0.1; done", 60);
        String blocks = guest.run("sed -n 's/written //p' /tmp/writer | tail -n 1", 10).strip();
        guest.run("echo 3 >/proc/sys/vm/drop_caches; probe check /mnt/written " + blocks, 60);
        Shell.run(directory, probe + " check mnt/written " + blocks, 60);
        double pauseSeconds =
                Double.parseDouble(guest.run("sed -n 's/longest //p' /tmp/writer", 10).strip());
        System.out.println(what + ": " + blocks + " blocks, longest " + pauseSeconds + " s");
        assertTrue(pauseSeconds < PAUSE_LIMIT_SECONDS, "paused for " + pauseSeconds + " s");
    }
}
