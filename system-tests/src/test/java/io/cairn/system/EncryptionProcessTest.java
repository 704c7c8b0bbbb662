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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files of an encrypted class, with real processes: no byte of them is plain on any disk. */
final class EncryptionProcessTest {
    private static final String LINE = "This line is nobody's business.\n";
    private static final int BYTES = 1_500_000;

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

    private void assertNothingPlain() throws Exception {
        String found = Shell.run(directory, "grep -srlaF \"nobody's business\" c1 c2 m1 || true");
        assertEquals("", found.strip());
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
            Poll.until("pools", 60, () -> hasPool(cluster));

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

            assertTrue(cairn(cluster, "class", "show", "secret").contains("aes-256-xts"));
            cairn(cluster, "class", "keys", "shred", "secret");
            Poll.until("no way to read", 60, () -> isUnreadable(large));
            Poll.until("no way to read the other", 60, () -> isUnreadable(small));
            assertNotEquals(0, run(cluster, "class", "keys", "shred", "secret").code());
        }
    }

    private boolean hasPool(ProcessCluster cluster) throws Exception {
        return cairn(cluster, "admin", "pools", "--json").contains("\"key\": 1")
                || cairn(cluster, "admin", "pools", "--json").contains("\"key\":1");
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
