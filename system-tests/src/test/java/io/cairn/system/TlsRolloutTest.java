package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.Endpoint;
import io.cairn.net.tcp.NettyTransport;
import io.cairn.node.ExitCode;
import io.cairn.runtime.Clock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A plain cluster gets TLS as {@code docs/upgrade.md} says, one process after the other, while
 * programs on a mount write.
 */
@Tag("long")
final class TlsRolloutTest {
    private static final Pattern ADMIN = Pattern.compile("admin on (\\S+)");
    private static final String ALSO_PLAIN = "--also-plain";
    private static final List<String> SERVERS = List.of("m1", "m2", "m3", "c1", "c2", "c3");

    @TempDir private Path directory;

    @Test
    @Timeout(900)
    void nobodyOnAMountNoticesTheChange() throws Exception {
        try (ProcessCluster cluster = new ProcessCluster(directory, 2)) {
            cluster.startMasters(3, 3);
            cluster.startChunkServers(3);
            Path plain = cluster.mount("plain");
            Path token = cluster.awaitFirstToken();
            cluster.start("nfs", gateway(cluster)).await(CairnProcess.READY, 60);
            try (AckedLoad load = new AckedLoad(plain, 2, 7, false)) {
                goesOn(load);
                masters(cluster);
                goesOn(load);
                chunkServers(cluster, token);
                Path secured = mount(cluster, token);
                gateway(cluster, token);
                goesOn(load);
                load.stop();
                load.verify(plain);
                load.verify(secured);
                assertEquals(List.of(), load.failures(), cluster.logs());
                end(cluster, "plain");
                awaitNoPlainText(cluster);
                afterwards(cluster, secured);
            }
        }
    }

    private static void goesOn(AckedLoad load) {
        int goal = load.operations() + 50;
        Poll.until("work", 120, () -> load.operations() >= goal || !load.failures().isEmpty());
        assertEquals(List.of(), load.failures());
    }

    private static void end(ProcessCluster cluster, String name) {
        CairnProcess process = cluster.process(name);
        process.terminate();
        Poll.until("the end of " + name, 60, () -> !process.isAlive());
    }

    /** The first one makes the authority, the others get copies of it. */
    private void masters(ProcessCluster cluster) throws Exception {
        List<String> first = new ArrayList<>(cluster.command("m1"));
        List<String> alone = new ArrayList<>(first);
        alone.remove("--found");
        int raft = alone.indexOf("--raft") + 1;
        alone.set(raft, alone.get(raft).split(",", -1)[0]);
        alone.addAll(List.of("--tls", ALSO_PLAIN));
        end(cluster, "m1");
        cluster.start("m1", alone.toArray(String[]::new)).await("listens on", 60);
        for (String other : List.of("m2", "m3")) {
            Path tls = Files.createDirectories(directory.resolve(other).resolve("tls"));
            for (String file : List.of("authority.pem", "authority.key")) {
                // With their rights.
                Files.copy(
                        directory.resolve("m1").resolve("tls").resolve(file),
                        tls.resolve(file),
                        StandardCopyOption.COPY_ATTRIBUTES);
            }
            again(cluster, other, ALSO_PLAIN);
        }
        cluster.process("m1").await(CairnProcess.READY, 60);
    }

    /** Once more, with more arguments. */
    private static void again(ProcessCluster cluster, String name, String... more)
            throws Exception {
        List<String> command = new ArrayList<>(cluster.command(name));
        command.addAll(List.of(more));
        end(cluster, name);
        cluster.start(name, command.toArray(String[]::new)).await(CairnProcess.READY, 60);
    }

    private static void chunkServers(ProcessCluster cluster, Path token) throws Exception {
        for (String name : List.of("c1", "c2", "c3")) {
            again(cluster, name, "--join", joinToken(cluster, token, "chunk", name), ALSO_PLAIN);
            Poll.until("all copies at " + name, 120, () -> cluster.isWhole(name));
        }
    }

    private static String joinToken(ProcessCluster cluster, Path token, String role, String name) {
        Matcher admin = ADMIN.matcher(cluster.process("m2").output());
        assertTrue(admin.find());
        List<String> words =
                List.of(
                        "ca",
                        "join-token",
                        "--role",
                        role,
                        "--name",
                        name,
                        "--api",
                        "http://" + admin.group(1),
                        "--token-file",
                        token.toString());
        CommandResult[] last = new CommandResult[1];
        Poll.until(
                "a join token",
                60,
                () -> {
                    last[0] = CommandResult.of(words);
                    return last[0].code() != ExitCode.TEMPORARY;
                });
        assertEquals(ExitCode.OK, last[0].code(), last[0].out() + last[0].errors());
        return last[0].out().trim();
    }

    private Path mount(ProcessCluster cluster, Path token) throws Exception {
        String identity = directory.resolve("identity-of-mount").toString();
        String join = joinToken(cluster, token, "mount", "laptop");
        return cluster.mount("secured", "", "--identity", identity, "--join", join);
    }

    private static String[] gateway(ProcessCluster cluster) {
        return new String[] {"nfs", "--masters", cluster.masters(), "--listen", "127.0.0.1:0"};
    }

    private void gateway(ProcessCluster cluster, Path token) throws Exception {
        String identity = directory.resolve("identity-of-gateway").toString();
        String join = joinToken(cluster, token, "gateway", "nfs1");
        again(cluster, "nfs", "--identity", identity, "--join", join);
    }

    private static void awaitNoPlainText(ProcessCluster cluster) throws Exception {
        for (String name : SERVERS) {
            String door = cluster.process(name).await(ADMIN.pattern(), 60).group(1);
            Poll.until(
                    "the end of plain text at " + name,
                    120,
                    () -> MetricsTest.scrape(door).contains("cairn_net_plain_connections 0.0"));
        }
    }

    /** All have certificates: plain text ends, again without an error. */
    private static void afterwards(ProcessCluster cluster, Path secured) throws Exception {
        Path after = Files.createDirectories(secured.resolve("after"));
        try (AckedLoad load = new AckedLoad(after, 2, 8, false)) {
            for (String name : SERVERS) {
                List<String> command = new ArrayList<>(cluster.command(name));
                command.remove(ALSO_PLAIN);
                end(cluster, name);
                cluster.start(name, command.toArray(String[]::new)).await(CairnProcess.READY, 60);
                goesOn(load);
                if (name.startsWith("c")) {
                    Poll.until("all copies at " + name, 120, () -> cluster.isWhole(name));
                }
            }
            load.stop();
            load.verify(after);
            assertEquals(List.of(), load.failures(), cluster.logs());
        }
        try (NettyTransport stranger = new NettyTransport("stranger", 1, Clock.system())) {
            for (String master : cluster.masters().split(",", -1)) {
                assertThrows(
                        ExecutionException.class,
                        () ->
                                stranger.connect(
                                                Endpoint.parse(master),
                                                (_, m, _) -> m.release(),
                                                10_000)
                                        .get(30, TimeUnit.SECONDS));
            }
        }
    }
}
