package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.testkit.Shell;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files of an encrypted class, with real processes: no byte of them is plain on any disk. */
final class EncryptionProcessTest {
    private static final String LINE = "This line is nobody's business.\n";
    private static final int BYTES = 1_500_000;
    private static final Pattern TROUBLE =
            Pattern.compile("not repaired|bad block|is damaged|in doubt");

    @TempDir private Path directory;

    private CommandResult run(ProcessCluster cluster, String... words) throws Exception {
        String address = cluster.process("m1").await("admin on (\\S+)", 60).group(1);
        List<String> command = new ArrayList<>(List.of(words));
        command.addAll(
                List.of(
                        "--api",
                        "http://" + address,
                        "--token-file",
                        cluster.awaitFirstToken().toString()));
        return CommandResult.of(command);
    }

    private String cairn(ProcessCluster cluster, String... words) throws Exception {
        CommandResult result = run(cluster, words);
        assertEquals(0, result.code(), result.errors());
        return result.out();
    }

    private static byte[] text(int bytes) {
        byte[] line = LINE.getBytes(StandardCharsets.US_ASCII);
        byte[] text = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            text[i] = line[i % line.length];
        }
        return text;
    }

    private void startServer(ProcessCluster cluster, String name, Path key) {
        cluster.start(
                name,
                "chunk",
                "--id",
                name,
                "--data",
                directory.resolve(name).toString(),
                "--listen",
                "127.0.0.1:" + ProcessCluster.freePort(),
                "--masters",
                cluster.masters(),
                "--master-key-file",
                key.toString());
    }

    /** The files below some directories in which contents stand as they are. */
    private String plain(String directories) throws Exception {
        String find = "grep -srlaF \"nobody's business\" " + directories + " || true";
        return Shell.run(directory, find).strip();
    }

    private void assertNothingPlain() throws Exception {
        assertEquals("", plain("c1 c2 m1"));
    }

    /** What the servers have, not what the kernel remembers. */
    private byte[] read(Path file) throws Exception {
        Path copy = directory.resolve("copy");
        Shell.run(directory, "dd if=" + file + " of=" + copy + " bs=1M iflag=direct status=none");
        return Files.readAllBytes(copy);
    }

    @Test
    @Timeout(value = 300)
    void filesAreReadAsBeforeAndNothingOnTheDisksIsPlain() throws Exception {
        Path key = Files.writeString(directory.resolve("master.key"), "5a".repeat(32) + "\n");
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        try (ProcessCluster cluster = new ProcessCluster(directory, 2)) {
            cluster.startMasters(1, 2, "--master-key-file", key.toString());
            startServer(cluster, "c1", key);
            startServer(cluster, "c2", key);
            Path mount = cluster.mount("mnt");
            Path secrets = Files.createDirectory(mount.resolve("secrets"));
            cairn(cluster, "class", "create", "secret", "--encryption", "aes-256-xts");
            cairn(cluster, "fs", "set", "--class", "secret", secrets.toString());
            Poll.until("pools", 60, () -> hasPool(cluster, 1));

            Path large = secrets.resolve("large");
            Path small = secrets.resolve("small");
            byte[] model = text(BYTES);
            Files.write(large, model);
            Files.write(small, text(200));
            try (RandomAccessFile open = new RandomAccessFile(large.toFile(), "rw")) {
                byte[] some = text(10_000);
                open.seek(123_457);
                open.write(some);
                System.arraycopy(some, 0, model, 123_457, some.length);
                open.getFD().sync();
            }
            assertArrayEquals(model, read(large));
            assertArrayEquals(text(200), Files.readAllBytes(small));
            assertNothingPlain();

            cluster.kill("c1");
            cluster.kill("c2");
            cluster.start("c1");
            cluster.start("c2");
            assertArrayEquals(model, read(large));
            assertNothingPlain();

            makePlainAndBack(cluster, secrets);
            assertArrayEquals(model, read(large));
            assertArrayEquals(text(200), Files.readAllBytes(small));
            Files.write(small, text(200)); // Out of the masters, where plain ones of its size are.

            assertTrue(cairn(cluster, "class", "show", "secret").contains("aes-256-xts"));
            cairn(cluster, "class", "keys", "shred", "secret");
            Poll.until("no way to read", 60, () -> isUnreadable(large));
            Poll.until("no way to read the other", 60, () -> isUnreadable(small));
            assertNotEquals(0, run(cluster, "class", "keys", "shred", "secret").code());
            assertOneLine(cluster.process("c1").output());
            assertOneLine(cluster.process("c2").output());
        }
    }

    private void makePlainAndBack(ProcessCluster cluster, Path secrets) throws Exception {
        cairn(cluster, "class", "set", "secret", "--encryption", "none");
        cairn(cluster, "class", "apply", secrets.toString());
        assertNotEquals("", plain("c1"));
        assertNotEquals("", plain("c2"));
        Poll.until("nothing has the key", 60, () -> isFormerDropped(cluster));
        cairn(cluster, "class", "set", "secret", "--encryption", "aes-256-xts");
        Poll.until("pools of the other key", 60, () -> hasPool(cluster, 2));
        cairn(cluster, "class", "apply", secrets.toString());
        Poll.until("nothing plain", 60, () -> plain("c1 c2").isEmpty());
    }

    private boolean isFormerDropped(ProcessCluster cluster) throws Exception {
        return run(cluster, "class", "keys", "drop-former", "secret").code() == 0;
    }

    /** What is given up on purpose is no trouble of each chunk. */
    private static void assertOneLine(String log) {
        String dropped = "Key 2 was dropped";
        assertEquals(1, log.lines().filter(line -> line.contains(dropped)).count(), log);
        List<String> troubles =
                log.substring(log.indexOf(dropped))
                        .lines()
                        .filter(line -> TROUBLE.matcher(line).find())
                        .toList();
        assertEquals(List.of(), troubles);
    }

    private boolean hasPool(ProcessCluster cluster, int key) throws Exception {
        String pools = cairn(cluster, "admin", "pools", "--json");
        return Pattern.compile("\"key\": ?" + key + "\\b").matcher(pools).find();
    }

    private boolean isUnreadable(Path file) {
        try {
            read(file);
            return false;
        } catch (Exception | AssertionError e) {
            return true;
        }
    }
}
