package io.cairn.verify.process;

import io.cairn.runtime.Deadline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A network in which each member is a machine of its own: a network namespace with one interface,
 * at a bridge in the namespace of the verifier. Needs root, and a verifier that runs in a namespace
 * of its own. A process that only sleeps keeps each namespace, so that nothing is left of it.
 */
public final class Namespaces implements Network {
    private static final String BRIDGE = "cairn";
    private static final String SUBNET = "10.99.0.";
    private static final int FIRST = 10;

    /** An address of the link layer that nobody has: frames to it are lost without a word. */
    private static final String NOBODY = "02:00:00:00:00:99";

    private static final int START_LIMIT_S = 10;

    private final CommandShell shell;
    private final Map<String, Machine> machines = new LinkedHashMap<>();

    private record Machine(int number, long pid) {
        String address() {
            return SUBNET + (FIRST + number);
        }

        /** The other end of its interface, at the bridge. */
        String port() {
            return "v" + number;
        }

        String inside(String command) {
            return "nsenter --net=/proc/" + pid + "/ns/net " + command;
        }
    }

    /** Makes the bridge, with the verifier as a machine at it. */
    public Namespaces(CommandShell shell) throws IOException {
        this.shell = shell;
        shell.require(
                "ip link set lo up && ip link add %s type bridge && ip addr add %s1/24 dev %s"
                        .concat(" && ip link set %s up")
                        .formatted(BRIDGE, SUBNET, BRIDGE, BRIDGE));
    }

    @Override
    public synchronized String host(String member) throws IOException {
        return machine(member).address();
    }

    @Override
    public synchronized List<String> prefix(String member) throws IOException {
        return List.of("nsenter", "--net=/proc/" + machine(member).pid + "/ns/net");
    }

    private Machine machine(String member) throws IOException {
        Machine known = machines.get(member);
        if (known != null) {
            return known;
        }
        long pid = shell.start(List.of("unshare", "-n", "sleep", "1000000000"), "/dev/null");
        awaitNamespace(pid);
        Machine machine = new Machine(machines.size(), pid);
        shell.require(
                "ip link add %s type veth peer name eth0 netns %d && ip link set %s master %s up"
                        .formatted(machine.port(), pid, machine.port(), BRIDGE));
        shell.require(
                machine.inside(
                        "sh -c 'ip link set lo up && ip addr add %s/24 dev eth0"
                                .concat(" && ip link set eth0 up'")
                                .formatted(machine.address())));
        machines.put(member, machine);
        return machine;
    }

    private static void awaitNamespace(long pid) throws IOException {
        Path own = Files.readSymbolicLink(Path.of("/proc/self/ns/net"));
        Deadline end = Deadline.afterS(START_LIMIT_S);
        while (Files.readSymbolicLink(Path.of("/proc/" + pid + "/ns/net")).equals(own)) {
            if (end.isOver()) {
                throw new IOException("no network namespace can be made");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    /** Takes a member from the network: whatever it sends or is sent is lost. */
    public void cutOff(String member) throws IOException {
        shell.require("ip link set " + machine(member).port() + " nomaster");
    }

    /** The end of {@link #cutOff}. */
    public void connect(String member) throws IOException {
        shell.require("ip link set " + machine(member).port() + " master " + BRIDGE);
    }

    /** Whatever one member sends to the other is lost; not what the other sends. */
    public void mute(String from, String to) throws IOException {
        shell.require(
                machine(from)
                        .inside(
                                "ip neigh replace %s lladdr %s nud permanent dev eth0"
                                        .formatted(machine(to).address(), NOBODY)));
    }

    /** The end of {@link #mute}. */
    public void unmute(String from, String to) throws IOException {
        shell.run(machine(from).inside("ip neigh del " + machine(to).address() + " dev eth0"));
    }

    /** Ends all connections of a member with a reset. */
    public void reset(String member) throws IOException {
        shell.run(machine(member).inside("ss -K -t state established >/dev/null 2>&1"));
    }

    /**
     * Makes the line of a member slow: late and lossy where the kernel can, narrow elsewhere. What
     * it did, for people.
     */
    public String slow(String member) throws IOException {
        Machine machine = machine(member);
        List<String> ways = new ArrayList<>();
        ways.add("netem delay 100ms 50ms loss 1%");
        ways.add("tbf rate 2mbit burst 16kb latency 400ms");
        for (String way : ways) {
            String command = machine.inside("tc qdisc replace dev eth0 root " + way);
            if (shell.run(command).code() == 0) {
                return way;
            }
        }
        throw new IOException("tc can make no line slow on this machine");
    }

    /** The end of {@link #slow}. */
    public void quick(String member) throws IOException {
        shell.require(machine(member).inside("tc qdisc del dev eth0 root"));
    }
}
