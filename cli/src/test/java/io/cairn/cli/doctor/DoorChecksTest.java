package io.cairn.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cli.doctor.Finding.Level;
import io.cairn.cluster.Endpoint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** FUSE, ports, and what masters tell. */
final class DoorChecksTest {
    private static final String TCP_LINE =
            "   0: 0100007F:%04X 00000000:0000 %s 00000000:00000000 00:00000000 00000000  0  0 4711"
                    + " 1 0000000000000000 100 0 0 10 0\n";

    @TempDir private Path root;

    private static List<Level> levels(List<Finding> findings) {
        return findings.stream().map(Finding::level).toList();
    }

    @Test
    void fuseIsThereOrNot() {
        FakeMachine machine = new FakeMachine(root);
        assertEquals(
                List.of(Level.FAIL, Level.FAIL, Level.FAIL),
                levels(new FuseChecks(machine.machine()).run()));
        machine.with("/dev/fuse", "")
                .with("/usr/lib64/libfuse.so.2", "")
                .withProgram("/usr/bin/fusermount");
        assertEquals(
                List.of(Level.OK, Level.OK, Level.OK),
                levels(new FuseChecks(machine.machine()).run()));
    }

    @Test
    void aPortIsFreeOrTakenOrOurs() throws IOException {
        FakeMachine machine = new FakeMachine(root).with("/proc/net/tcp", "header\n");
        PortChecks checks = new PortChecks(machine.machine());
        List<Endpoint> port = List.of(new Endpoint("127.0.0.1", 9870));
        assertEquals("9870 is free", checks.run(port).getFirst().text());
        machine.with("/proc/net/tcp", "header\n" + TCP_LINE.formatted(9870, "06"));
        assertEquals(Level.OK, checks.run(port).getFirst().level(), "TIME_WAIT listens not");
        machine.with("/proc/net/tcp", "header\n" + TCP_LINE.formatted(9870, "0A"));
        assertTrue(checks.run(port).getFirst().text().contains("another user"));
        machine.with("/proc/77/cmdline", "/usr/bin/nginx\0-g\0");
        Files.createDirectories(root.resolve("proc/77/fd"));
        Files.createSymbolicLink(root.resolve("proc/77/fd/5"), Path.of("socket:[4711]"));
        Finding taken = checks.run(port).getFirst();
        assertEquals(Level.WARN, taken.level());
        assertTrue(taken.text().contains("/usr/bin/nginx"), taken.text());
        machine.with("/proc/77/cmdline", "java\0io.cairn.cli.Cairn\0master\0");
        assertEquals(Level.OK, checks.run(port).getFirst().level());
    }

    @Test
    void mastersAreReachedOrNot() throws IOException {
        Endpoint closed;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Endpoint open = new Endpoint("127.0.0.1", socket.getLocalPort());
            closed = open;
            assertEquals(List.of(Level.OK), levels(ClusterChecks.reach(List.of(open))));
        }
        assertEquals(List.of(Level.FAIL), levels(ClusterChecks.reach(List.of(closed))));
    }

    @Test
    void clocksAndVersionsAreCompared() {
        assertEquals(Level.OK, ClusterChecks.clock(told(1_000_000)).level());
        assertEquals(Level.WARN, ClusterChecks.clock(told(1_002_000)).level());
        assertEquals(Level.FAIL, ClusterChecks.clock(told(900_000)).level());
        assertTrue(ClusterChecks.clock(told(900_000)).text().contains("ahead of"));
        assertEquals(Level.OK, ClusterChecks.version(told(0), "1.0").level());
        assertEquals(Level.WARN, ClusterChecks.version(told(0), "1.1").level());
        assertEquals(Level.WARN, ClusterChecks.discipline(false).level());
        assertEquals("time", ClusterChecks.discipline().check());
    }

    private static ClusterChecks.Told told(long timeMs) {
        return new ClusterChecks.Told(
                Map.of("version", "1.0", "timeMs", timeMs), 999_900, 1_000_100);
    }
}
