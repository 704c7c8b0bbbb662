package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.cairn.testkit.Shell;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A network of its own for a virtual machine and two servers: two network namespaces with an
 * Ethernet between them. Ports are all free there, and nothing of the host's network is touched.
 *
 * <pre>
 *   guest 10.231.0.2 --- tap0 +-----------------+        +-----------------+
 *                             | first           |--------| second          |
 *                             | 10.231.0.9      |        | 10.231.0.3      |
 *                             | and, at first,  |        |                 |
 *                             | the address of  | -----> | ... or here,    |
 *                             | the service     |        | when it moved   |
 *                             | 10.231.0.1      |        |                 |
 *                             +-----------------+        +-----------------+
 * </pre>
 */
final class GuestNetwork implements AutoCloseable {
    static final String GUEST = "10.231.0.2";
    static final String SERVICE = "10.231.0.1";
    static final String CLUSTER = "10.231.0.9";

    private final Path directory;
    private final Path busybox;
    private final Path captures;
    private final String first;
    private final String second;
    private @Nullable Process capture;
    private @Nullable Path captured;

    /**
     * Builds it.
     *
     * @param image what the guest boots from; records stay there, in {@code captures}
     */
    GuestNetwork(Path directory, Path image) throws Exception {
        this.directory = directory;
        this.busybox = image.resolve("unpacked/bin/busybox");
        this.captures = Files.createDirectories(image.resolve("captures"));
        long pid = ProcessHandle.current().pid();
        first = "cairn-" + pid + "-a";
        second = "cairn-" + pid + "-b";
        try {
            build();
        } catch (Exception | AssertionError e) {
            close();
            throw e;
        }
    }

    private void build() throws Exception {
        run(
                "a=" + first + " b=" + second,
                "for n in $a $b; do ip netns add $n; ip -n $n link set lo up; done",
                "ip -n $a link add br0 type bridge",
                "ip -n $a addr add " + CLUSTER + "/24 dev br0",
                "ip -n $a addr add " + SERVICE + "/24 dev br0",
                "ip -n $a link add va type veth peer name vb netns $b",
                "ip netns exec $a ip tuntap add dev tap0 mode tap",
                "for d in va tap0; do ip -n $a link set $d master br0 up; done",
                "ip -n $a link set br0 up",
                "ip -n $b addr add 10.231.0.3/24 dev vb",
                "ip -n $b link set vb up");
    }

    private String run(String... lines) throws Exception {
        return Shell.run(directory, String.join("\n", lines), 30);
    }

    /** What to put before a command that is to run where the cluster and the guest are. */
    List<String> first() {
        return List.of("nsenter", "--net=/run/netns/" + first);
    }

    /** What to put before a command that is to run on the other server. */
    List<String> second() {
        return List.of("nsenter", "--net=/run/netns/" + second);
    }

    /** The address of the service leaves the first server and comes up on the second one. */
    void moveService() throws Exception {
        run(
                "ip -n " + first + " addr del " + SERVICE + "/24 dev br0",
                "ip -n " + second + " addr add " + SERVICE + "/24 dev vb",
                String.join(" ", second())
                        + " "
                        + busybox
                        + " arping -U -c 1 -I vb "
                        + SERVICE
                        + " >/dev/null || true");
    }

    /** The reverse. */
    void moveServiceBack() throws Exception {
        run(
                "ip -n " + second + " addr del " + SERVICE + "/24 dev vb",
                "ip -n " + first + " addr add " + SERVICE + "/24 dev br0",
                String.join(" ", first())
                        + " "
                        + busybox
                        + " arping -U -c 1 -I br0 "
                        + SERVICE
                        + " >/dev/null || true");
    }

    /** Records from now on what the guest sends and receives. */
    void startCapture(String name) throws Exception {
        Path file = captures.resolve(name + ".pcapng");
        Files.deleteIfExists(file);
        Path log = directory.resolve(name + ".dumpcap");
        List<String> command = new ArrayList<>(first());
        command.addAll(List.of("dumpcap", "-q", "-B", "256", "-i", "tap0", "-w", file.toString()));
        capture =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        captured = file;
        Poll.until("capture " + log, 20, () -> Files.exists(file) && Files.size(file) > 0);
    }

    /** Stops recording; fails when a packet is malformed or a call was refused by the RPC layer. */
    void checkCapture() throws Exception {
        Process process = capture;
        Path file = captured;
        if (process == null || file == null) {
            throw new IllegalStateException("nothing is recorded");
        }
        capture = null;
        process.destroy();
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("dumpcap does not end");
        }
        String filter = "_ws.malformed || rpc.replystat == 1 || rpc.state_accept > 0";
        String bad =
                Shell.run(
                        directory,
                        "tshark -n -r " + file + " -Y '" + filter + "' 2>/dev/null | head -n 20",
                        300);
        assertEquals("", bad, "in " + file);
        String calls =
                Shell.run(
                        directory,
                        "tshark -n -r " + file + " -Y 'rpc.msgtyp == 1' 2>/dev/null | wc -l",
                        300);
        assertNotEquals("0", calls.strip(), "nothing was understood in " + file);
        System.out.println(file.getFileName() + ": " + calls.strip() + " packets with replies");
    }

    @Override
    public void close() {
        Process process = capture;
        if (process != null) {
            process.destroyForcibly();
        }
        try {
            run("for n in " + first + " " + second + "; do ip netns del $n || true; done");
        } catch (Exception e) {
            throw new IllegalStateException("cannot remove the namespaces", e);
        }
    }
}
