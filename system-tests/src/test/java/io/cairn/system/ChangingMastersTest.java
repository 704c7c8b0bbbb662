package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.node.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Masters come and go under a mount that was told of the first one only: real processes. */
final class ChangingMastersTest {
    @TempDir private Path directory;

    @Test
    @Timeout(value = 240)
    void aLoneMasterGetsCompanyDiesAndIsReplaced() throws Exception {
        try (ProcessCluster cluster = new ProcessCluster(directory, 1)) {
            cluster.startMasters(1, 1);
            cluster.startChunkServers(1);
            Path mount = cluster.mount("mnt");
            Path token = cluster.awaitFirstToken();
            String secret = Files.readString(token);
            Path kept = Files.writeString(directory.resolve("token"), secret);
            try (AckedLoad load = new AckedLoad(mount, 2, 7, false)) {
                work(load);
                String m2 = cluster.join("m2", cluster.doors());
                cluster.process("m2").await("masters add m2=", 60);
                assertEquals(ExitCode.OK, admin(cluster, kept, "m1", "add", m2), cluster.logs());
                String m3 = cluster.join("m3", cluster.doors());
                cluster.process("m3").await("masters add m3=", 60);
                cluster.kill("m3"); // at a bad moment
                cluster.start("m3");
                cluster.process("m3").await("masters add m3=", 60);
                assertEquals(ExitCode.OK, admin(cluster, kept, "m1", "add", m3), cluster.logs());
                work(load);
                cluster.kill("m1");
                work(load);
                String m4 = cluster.join("m4", m2.substring(3) + "," + m3.substring(3));
                cluster.process("m4").await("masters add m4=", 60);
                assertEquals(
                        ExitCode.OK,
                        admin(cluster, kept, "m3", "replace", "m1", m4),
                        cluster.logs());
                cluster.start("m1"); // it does not know that it was replaced
                Poll.until("m1 to stop", 60, () -> !cluster.process("m1").isAlive());
                assertTrue(cluster.process("m1").output().contains("master m1 was removed"));
                cluster.kill("m2");
                work(load);
                assertEquals(
                        ExitCode.OK, admin(cluster, kept, "m4", "remove", "m2"), cluster.logs());
                assertEquals(
                        ExitCode.OK, admin(cluster, kept, "m4", "remove", "m3"), cluster.logs());
                Poll.until("m3 to stop", 30, () -> !cluster.process("m3").isAlive());
                assertTrue(cluster.process("m3").output().contains("master m3 was removed"));
                work(load);
                load.stop();
                load.verify(mount);
                assertEquals(List.of(), load.failures(), cluster.logs());
            }
            String last = admin(cluster, kept, "m4", new String[0]);
            assertEquals(1, last.lines().filter(line -> line.startsWith("m")).count(), last);
        }
    }

    /** As docs/operating.md tells, on one machine. */
    @Test
    @Timeout(value = 240)
    void anAllInOneClusterGrowsAndItsFirstProcessDies() throws Exception {
        Path data = directory.resolve("up");
        String door = "127.0.0.1:" + ProcessCluster.freePort();
        String master = "127.0.0.1:" + ProcessCluster.freePort();
        try (ProcessCluster cluster = new ProcessCluster(directory, 1)) {
            cluster.start(
                    "up",
                    "up",
                    "--data",
                    data.toString(),
                    "--listen",
                    master,
                    "--raft",
                    door,
                    "--admin",
                    "127.0.0.1:0");
            cluster.process("up").await("(?m)^cairn is ready", 60);
            Path mount = cluster.mountFrom("mnt", master);
            Files.writeString(mount.resolve("small"), "names and small contents");
            byte[] large = new byte[3 << 20];
            new Random(3).nextBytes(large);
            Files.write(mount.resolve("large"), large);
            Path token = cluster.awaitFirstToken();
            for (String name : List.of("m2", "m3")) {
                String newcomer = cluster.join(name, door);
                cluster.process(name).await("masters add " + name, 60);
                assertEquals(
                        ExitCode.OK, admin(cluster, token, "up", "add", newcomer), cluster.logs());
            }
            cluster.process("m3").await(CairnProcess.READY, 60);
            cluster.kill("up");
            assertEquals("names and small contents", Files.readString(mount.resolve("small")));
            cluster.start(
                    "c1",
                    "chunk",
                    "--id",
                    "c1",
                    "--data",
                    data.resolve("chunk-1").toString(),
                    "--listen",
                    "127.0.0.1:0",
                    "--masters",
                    cluster.clientAddress("m3"));
            assertArrayEquals(large, Files.readAllBytes(mount.resolve("large")));
            Files.write(mount.resolve("more"), large);
            assertArrayEquals(large, Files.readAllBytes(mount.resolve("more")));
        }
    }

    private static void work(AckedLoad load) {
        int goal = load.operations() + 40;
        Poll.until("work", 60, () -> load.operations() >= goal);
    }

    private static int admin(
            ProcessCluster cluster, Path token, String at, String verb, String... words)
            throws Exception {
        List<String> all = new ArrayList<>(List.of(verb));
        all.addAll(List.of(words));
        List<CommandResult> tries = new ArrayList<>();
        Poll.until(
                "a leader for " + all,
                60,
                () -> {
                    tries.add(command(cluster, token, at, all));
                    return tries.getLast().code() != ExitCode.TEMPORARY;
                });
        CommandResult last = tries.getLast();
        System.out.println(all + ": " + last.out() + last.errors());
        // The answer to an earlier try may have been lost with the master that went.
        boolean isGone = verb.equals("remove") && last.code() == ExitCode.NO_INPUT;
        return isGone && tries.size() > 1 ? ExitCode.OK : last.code();
    }

    private static String admin(ProcessCluster cluster, Path token, String at, String[] words)
            throws Exception {
        return command(cluster, token, at, List.of(words)).out();
    }

    private static CommandResult command(
            ProcessCluster cluster, Path token, String at, List<String> words) throws Exception {
        String door = cluster.process(at).await("admin (?:on|  ) (\\S+)", 60).group(1);
        String url = "http://" + door.replaceFirst("^http://", "").replaceAll("/+$", "");
        List<String> arguments = new ArrayList<>(List.of("admin", "masters"));
        arguments.addAll(words);
        arguments.addAll(List.of("--api", url, "--token-file", token.toString()));
        return CommandResult.of(arguments);
    }
}
