package io.cairn.verify.process;

import io.cairn.net.FreePorts;
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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Masters, chunk servers, mounts and gateways as processes of this machine. Thread-safe. */
public final class Cluster {
    /** How long a process may take to answer after its start. */
    private static final int START_LIMIT_S = 120;

    private static final Pattern ADMIN = Pattern.compile("admin on (\\S+)");
    private static final Pattern LEADER = Pattern.compile("\"leader\":\"([^\"]+)\"");
    private static final Pattern REASON =
            Pattern.compile("\"level\":\"(?:warning|critical)\",\"what\":\"([^\"]*)\"");

    private static final Pattern PAST_ERRORS = Pattern.compile("has had \\d+ errors? since");

    private final ClusterPlan plan;
    private final CommandShell shell;
    private final Network network;
    private final FreePorts ports;
    private final Disks disks;
    private final Map<String, Member> members = new LinkedHashMap<>();
    private final Map<String, Integer> gatewayPorts = new LinkedHashMap<>();
    private final List<String> masters = new ArrayList<>();

    /** A cluster that is not started yet. */
    public Cluster(ClusterPlan plan, CommandShell shell, Network network, FreePorts ports) {
        this.plan = plan;
        this.shell = shell;
        this.network = network;
        this.ports = ports;
        disks = new Disks(shell);
    }

    /** Starts all processes, and returns when all of them answer. */
    public void start() throws IOException {
        Files.createDirectories(plan.logs());
        startMasters();
        for (int i = 1; i <= plan.chunkServers(); i++) {
            String name = Role.CHUNK_SERVER.name(i);
            String listen = endpoint(name);
            add(
                    Role.CHUNK_SERVER,
                    name,
                    List.of(
                            "chunk",
                            "--id",
                            name,
                            "--data",
                            plan.data(name).toString(),
                            "--listen",
                            listen,
                            "--masters",
                            masters(),
                            "--insecure-plain"));
        }
        for (Member each : members()) {
            awaitReady(each);
        }
        for (int i = 1; i <= plan.mounts(); i++) {
            String name = Role.MOUNT.name(i);
            Files.createDirectories(plan.mountpoint(name));
            shell.mounted(plan.mountpoint(name).toString());
            add(Role.MOUNT, name, plan.mount(masters(), name));
        }
        for (int i = 1; i <= plan.gateways(); i++) {
            String name = Role.GATEWAY.name(i);
            int port = ports.next();
            gatewayPorts.put(name, port);
            add(
                    Role.GATEWAY,
                    name,
                    List.of(
                            "nfs",
                            "--masters",
                            masters(),
                            "--listen",
                            network.host(name) + ":" + port,
                            "--export",
                            "/ *(rw,no_root_squash,insecure)"));
        }
        for (Member each : members()) {
            awaitReady(each);
        }
    }

    private void startMasters() throws IOException {
        List<String> raft = new ArrayList<>();
        for (int i = 1; i <= plan.masters(); i++) {
            raft.add(Role.MASTER.name(i) + "=" + endpoint(Role.MASTER.name(i)));
            masters.add(endpoint(Role.MASTER.name(i)));
        }
        for (int i = 1; i <= plan.masters(); i++) {
            String name = Role.MASTER.name(i);
            add(
                    Role.MASTER,
                    name,
                    List.of(
                            "master",
                            "--id",
                            name,
                            "--data",
                            plan.data(name).toString(),
                            "--listen",
                            masters.get(i - 1),
                            "--raft",
                            String.join(",", raft),
                            "--found",
                            "--insecure-plain",
                            "--admin",
                            "127.0.0.1:0",
                            "--replicas",
                            String.valueOf(plan.replicas()),
                            "--expect-servers",
                            String.valueOf(plan.chunkServers())));
        }
    }

    private String endpoint(String member) throws IOException {
        return network.host(member) + ":" + ports.next();
    }

    private void add(Role role, String name, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(network.prefix(name));
        command.addAll(plan.java());
        command.addAll(arguments);
        if (plan.ownDisks() && (role == Role.MASTER || role == Role.CHUNK_SERVER)) {
            disks.make(name, plan.place(name));
        } else {
            Files.createDirectories(plan.place(name).resolve("disk"));
        }
        Member member = new Member(role, name, command, plan.logs().resolve(name + ".log"), shell);
        member.start();
        members.put(name, member);
    }

    /** Waits until a member answers; fails with the end of its log. */
    public void awaitReady(Member member) throws IOException {
        Deadline end = Deadline.afterS(START_LIMIT_S);
        while (!member.isReady()) {
            boolean gone = !member.isAlive();
            if (gone || end.isOver()) {
                List<String> lines = member.said().lines().toList();
                throw new IOException(
                        member
                                + (gone ? " ended" : " is not ready after " + START_LIMIT_S + " s")
                                + "; see "
                                + member.log()
                                + ": "
                                + String.join(
                                        " / ",
                                        lines.subList(
                                                Math.max(0, lines.size() - 3), lines.size())));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    public ClusterPlan plan() {
        return plan;
    }

    /** All processes. */
    public List<Member> members() {
        return List.copyOf(members.values());
    }

    /** Those with a role. */
    public List<Member> members(Role role) {
        return members.values().stream().filter(each -> each.role() == role).toList();
    }

    /** Masters and chunk servers: those that keep data. */
    public List<Member> servers() {
        List<Member> servers = new ArrayList<>(members(Role.MASTER));
        servers.addAll(members(Role.CHUNK_SERVER));
        return servers;
    }

    /** Mounts and gateways. */
    public List<Member> clients() {
        List<Member> clients = new ArrayList<>(members(Role.MOUNT));
        clients.addAll(members(Role.GATEWAY));
        return clients;
    }

    /** The disks of the servers; to be asked only when the plan gives them disks of their own. */
    public Disks disks() {
        return disks;
    }

    /** The network, when each process has a namespace. */
    public Namespaces namespaces() {
        if (network instanceof Namespaces namespaces) {
            return namespaces;
        }
        throw new IllegalStateException("processes have no network of their own");
    }

    /** Removes all data of a server that does not run. */
    public void wipe(Member server) throws IOException {
        shell.require("rm -rf " + CommandShell.quote(plan.data(server.name()).toString()));
    }

    /** Where a gateway listens. */
    public String gatewayHost(Member gateway) throws IOException {
        return network.host(gateway.name());
    }

    /** The port of a gateway. */
    public int gatewayPort(Member gateway) {
        Integer port = gatewayPorts.get(gateway.name());
        if (port == null) {
            throw new IllegalArgumentException(gateway + " is no gateway");
        }
        return port;
    }

    /** The addresses of the masters, as commands take them. */
    public String masters() {
        return String.join(",", masters);
    }

    /** Runs {@code cairn} to its end, in the network of the first master. */
    public CommandShell.Answer run(String... arguments) throws IOException {
        return run(members(Role.MASTER).getFirst(), 20, arguments);
    }

    private CommandShell.Answer run(Member where, int limitS, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(List.of("timeout", String.valueOf(limitS)));
        command.addAll(network.prefix(where.name()));
        command.addAll(plan.java());
        command.addAll(List.of(arguments));
        return shell.run(CommandShell.quote(command) + " 2>&1");
    }

    /** Runs {@code cairn fsck}: what it found, or null when it found no fault. */
    public @Nullable String fsck() throws IOException {
        for (Member each : members(Role.MASTER)) {
            Path token = plan.data(each.name()).resolve("admin.token");
            Matcher admin = ADMIN.matcher(each.said());
            if (Files.exists(token) && admin.find()) {
                String api = "http://" + admin.group(1);
                CommandShell.Answer answer =
                        run(each, 120, "fsck", "--api", api, "--token-file", token.toString());
                // 1: leftovers, which only take room until they are collected.
                return answer.code() <= 1 ? null : answer.output();
            }
        }
        return "no master has the token of the administrator";
    }

    /** What the cluster says of itself, a JSON object, or why it cannot. */
    public String status() throws IOException {
        return run("status", "--masters", masters(), "--json").output();
    }

    /** The master that leads by a status, or the first one when none is told. */
    public Member leader(String status) {
        Matcher matcher = LEADER.matcher(status);
        Member leader = matcher.find() ? members.get(matcher.group(1)) : null;
        return leader == null ? members(Role.MASTER).getFirst() : leader;
    }

    /**
     * Whether a status says that all servers answer, that no copy is missing, and that nothing else
     * needs a look. Errors that disks have had are told for a day, and do not count.
     */
    public static boolean isWell(String status) {
        if (!status.contains("\"groupsAtRisk\":0")) {
            return false;
        }
        Matcher reasons = REASON.matcher(status);
        while (reasons.find()) {
            if (!PAST_ERRORS.matcher(reasons.group(1)).find()) {
                return false;
            }
        }
        return true;
    }
}
