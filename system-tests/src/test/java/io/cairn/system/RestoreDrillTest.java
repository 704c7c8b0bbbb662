package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.node.ExitCode;
import io.cairn.testkit.Shell;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** All masters lose their directories, and an administrator has a backup: real processes. */
final class RestoreDrillTest {
    @TempDir private Path directory;

    private CairnProcess.Result run(ProcessCluster cluster, String... words) throws Exception {
        String address = cluster.process("m1").await("admin on ([0-9.]+:[0-9]+)", 60).group(1);
        List<String> command = new ArrayList<>(List.of(words));
        command.addAll(
                List.of(
                        "--api",
                        "http://" + address,
                        "--token-file",
                        directory.resolve("token").toString()));
        return CairnProcess.run(directory, command.toArray(String[]::new));
    }

    /** Runs a check that ends with a code, and returns its lines. */
    private String fsck(ProcessCluster cluster, int code, String... more) throws Exception {
        List<String> words = new ArrayList<>(List.of("fsck"));
        words.addAll(List.of(more));
        CairnProcess.Result result = run(cluster, words.toArray(String[]::new));
        assertEquals(code, result.exitCode(), result.output());
        return result.output();
    }

    /** Blob files of about a megabyte and more. */
    private long blobs() throws Exception {
        return Shell.run(directory, "find c1 c2 -type f -size +900k").lines().count();
    }

    private static byte[] bytes(int seed, int count) {
        byte[] bytes = new byte[count];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    @Test
    @Timeout(value = 240)
    void aClusterGoesOnWithItsBackup() throws Exception {
        try (ProcessCluster cluster = new ProcessCluster(directory, 2)) {
            cluster.startMasters(1, 2);
            cluster.startChunkServers(2);
            Path mount = cluster.mount("mnt");
            Files.writeString(mount.resolve("small"), "contents");
            Files.write(mount.resolve("large"), bytes(1, 6 << 20));
            Files.write(mount.resolve("grows"), bytes(2, 1 << 20));
            Files.write(mount.resolve("gone"), bytes(5, 5 << 20));
            Files.copy(cluster.awaitFirstToken(), directory.resolve("token"));

            Path file = directory.resolve("backup");
            backUp(cluster, file);
            String clean = fsck(cluster, 0);
            assertTrue(clean.contains("0 faults, 0 leftovers"), clean);
            assertTrue(clean.contains("5 inodes"), clean);

            long blobs = blobs();
            Files.delete(mount.resolve("gone"));
            Poll.until("chunks to be deleted", 60, () -> blobs() <= blobs - 4);
            Files.write(mount.resolve("later"), bytes(3, 5 << 20));
            Files.write(mount.resolve("grows"), bytes(6, 2 << 20), StandardOpenOption.APPEND);
            Files.writeString(mount.resolve("small"), "changed");
            ProcessCluster.unmount(mount);
            cluster.kill("m1");
            Shell.run(directory, "rm -rf m1");

            List<String> restore = new ArrayList<>(cluster.command("m1"));
            restore.remove("--found");
            List<String> again = List.copyOf(restore);
            restore.addAll(List.of("--restore", file.toString()));
            cluster.start("m1", restore.toArray(String[]::new));
            cluster.process("m1").await("restored cluster [0-9a-f]{16} from", 60);
            Path back = cluster.mount("back");
            assertEquals("contents", Files.readString(back.resolve("small")));
            assertArrayEquals(bytes(1, 6 << 20), Files.readAllBytes(back.resolve("large")));
            byte[] shorter = Files.readAllBytes(back.resolve("grows"));
            assertArrayEquals(bytes(2, 1 << 20), shorter);
            assertFalse(Files.exists(back.resolve("later")));
            Files.write(back.resolve("new"), bytes(4, 5 << 20));
            assertArrayEquals(bytes(4, 5 << 20), Files.readAllBytes(back.resolve("new")));
            assertArrayEquals(bytes(1, 6 << 20), Files.readAllBytes(back.resolve("large")));
            mendWhatTheBackupDoesNotKnow(cluster, back);

            cluster.kill("m1");
            CairnProcess.Result used = CairnProcess.run(directory, restore.toArray(String[]::new));
            assertEquals(ExitCode.DATA, used.exitCode(), used.output());
            assertTrue(used.output().contains("is not empty"), used.output());
            cluster.start("m1", again.toArray(String[]::new));
            assertArrayEquals(bytes(4, 5 << 20), Files.readAllBytes(back.resolve("new")));
        }
    }

    /** Chunks of a file that was made after the backup, and of one that was removed after it. */
    private void mendWhatTheBackupDoesNotKnow(ProcessCluster cluster, Path mount) throws Exception {
        String found = fsck(cluster, 4);
        assertTrue(found.contains("missing: inode ") && found.contains("(/gone) has lost"), found);
        assertTrue(found.contains("belongs to no file"), found);
        assertTrue(found.contains("1 fault, 2 leftovers"), found);
        long blobs = blobs();
        String mended = fsck(cluster, 4, "--repair", "--yes");
        assertTrue(mended.contains("belongs to no file (repaired)"), mended);
        Poll.until("chunks to be deleted", 60, () -> blobs() <= blobs - 4);
        Files.delete(mount.resolve("gone"));
        Poll.until("a clean check", 60, () -> run(cluster, "fsck").exitCode() == 0);
        assertArrayEquals(bytes(4, 5 << 20), Files.readAllBytes(mount.resolve("new")));
        assertArrayEquals(bytes(1, 6 << 20), Files.readAllBytes(mount.resolve("large")));
    }

    private void backUp(ProcessCluster cluster, Path file) throws Exception {
        CairnProcess.Result made = run(cluster, "admin", "backup", file.toString());
        assertEquals(ExitCode.OK, made.exitCode(), made.output());
        assertEquals(
                "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        CairnProcess.Result twice = run(cluster, "admin", "backup", file.toString());
        assertEquals(ExitCode.CANNOT_CREATE, twice.exitCode(), twice.output());
        verify(file);
    }

    private void verify(Path file) throws Exception {
        String[] verify = {"admin", "backup", "--verify", file.toString()};
        CairnProcess.Result whole = CairnProcess.run(directory, verify);
        assertEquals(ExitCode.OK, whole.exitCode(), whole.output());
        assertTrue(whole.output().contains("sha256"), whole.output());
        byte[] all = Files.readAllBytes(file);
        Path cut = Files.write(directory.resolve("cut"), Arrays.copyOf(all, all.length - 7));
        verify[3] = cut.toString();
        CairnProcess.Result refused = CairnProcess.run(directory, verify);
        assertEquals(ExitCode.DATA, refused.exitCode(), refused.output());
        assertTrue(refused.output().contains(cut + " is no whole backup"), refused.output());
        verify[3] = directory.resolve("token").toString();
        CairnProcess.Result foreign = CairnProcess.run(directory, verify);
        assertTrue(foreign.output().contains("is no backup of a Cairn cluster"), foreign.output());
    }
}
