package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.node.ExitCode;
import io.cairn.testkit.Shell;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Disks that others fill, and disks that are not mounted. Needs root, for small filesystems. */
@Timeout(value = 240)
final class FullDiskTest {
    private static final Pattern LEADS = Pattern.compile(": (m\\d) leads in term");
    private static final String FULL = "No space left on device";

    @TempDir private Path directory;

    /** A small filesystem in memory. */
    private final class SmallDisk implements AutoCloseable {
        private final Path mountpoint;

        SmallDisk(String name, String size) throws Exception {
            mountpoint = Files.createDirectories(directory.resolve(name));
            mount(size);
        }

        private void mount(String size) throws Exception {
            Shell.run(directory, "mount -t tmpfs -o size=" + size + " none " + mountpoint);
        }

        void fill() throws Exception {
            Shell.run(mountpoint, "dd if=/dev/zero bs=64k >>hog 2>/dev/null || true");
        }

        void makeRoom() throws IOException {
            Files.delete(mountpoint.resolve("hog"));
        }

        void unmount() {
            ProcessCluster.unmount(mountpoint);
        }

        @Override
        public void close() {
            unmount();
        }
    }

    private static byte[] write(Path file, int bytes) throws IOException {
        byte[] data = new byte[bytes];
        new Random(file.hashCode()).nextBytes(data);
        Files.write(file, data);
        return data;
    }

    private static void end(ProcessCluster cluster, String name) {
        cluster.process(name).terminate();
        Poll.until("the end of " + name, 60, () -> !cluster.process(name).isAlive());
    }

    private static String refusal(Path mount, String script) throws Exception {
        return Shell.run(mount, "LC_ALL=C; export LC_ALL; if " + script + "; then echo done; fi");
    }

    @Test
    void aMasterWhoseDiskIsFullGoesOnReadingAndGoesOnWhenThereIsRoom() throws Exception {
        try (SmallDisk disk = new SmallDisk("m1", "128m");
                ProcessCluster cluster = new ProcessCluster(directory, 1)) {
            cluster.startMasters(1, 1);
            cluster.startChunkServers(1);
            Path mount = cluster.mount("mnt");
            byte[] large = write(mount.resolve("large"), 3 << 20);
            byte[] small = write(mount.resolve("small"), 100);
            disk.fill();
            Poll.until("a refusal", 30, () -> refusal(mount, "touch a$$").contains(FULL));
            for (int start = 0; start < 3; start++) {
                assertArrayEqual(large, mount.resolve("large"));
                assertArrayEqual(small, mount.resolve("small"));
                assertTrue(refusal(mount, "mkdir d").contains(FULL));
                assertTrue(refusal(mount, "echo x >new").contains(FULL));
                assertFalse(Files.exists(mount.resolve("new")));
                assertTrue(cluster.process("m1").isAlive());
                if (start == 0) {
                    end(cluster, "m1");
                } else {
                    cluster.kill("m1");
                }
                cluster.start("m1");
            }
            disk.makeRoom();
            Poll.until("a change", 30, () -> refusal(mount, "touch again").contains("done"));
            assertArrayEqual(write(mount.resolve("new"), 3 << 20), mount.resolve("new"));
            cluster.kill("m1");
            cluster.start("m1");
            assertArrayEqual(small, mount.resolve("small"));
            assertTrue(Files.exists(mount.resolve("again")));
        }
    }

    /** What is in the log of the member that leads: nobody else may tell. */
    private static String leader(ProcessCluster cluster) throws IOException {
        String leader = "";
        for (int i = 1; i <= 3; i++) {
            Matcher told = LEADS.matcher(Files.readString(cluster.log("m" + i)));
            String last = "";
            while (told.find()) {
                last = told.group(1);
            }
            if (last.equals("m" + i)) {
                leader = last;
            }
        }
        return leader;
    }

    private static void make(Path mount, String name, int files) throws Exception {
        String script =
                "for i in $(seq %d); do head -c 4000 /dev/urandom >%s$i || exit 1; done"
                        .formatted(files, name);
        String said = refusal(mount, script);
        assertTrue(said.contains("done") && !said.contains(FULL), said);
    }

    private static String lastLines(ProcessCluster cluster) throws IOException {
        StringBuilder said = new StringBuilder();
        for (int i = 1; i <= 3; i++) {
            List<String> lines = Files.readAllLines(cluster.log("m" + i));
            said.append("\nm").append(i).append(":\n");
            int from = Math.max(0, lines.size() - 25);
            said.append(String.join("\n", lines.subList(from, lines.size())));
        }
        return said.toString();
    }

    @Test
    void aLeaderWithoutRoomLetsAnotherLeadAndComesBackAfterAWriteThatFailed() throws Exception {
        List<SmallDisk> disks = new ArrayList<>();
        try (ProcessCluster cluster = new ProcessCluster(directory, 1)) {
            for (int i = 1; i <= 3; i++) {
                disks.add(new SmallDisk("m" + i, "128m"));
            }
            cluster.startMasters(3, 1);
            cluster.startChunkServers(1);
            Path mount = cluster.mount("mnt");
            make(mount, "a", 10);
            String full = leader(cluster);
            SmallDisk disk = disks.get(full.charAt(1) - '1');
            disk.fill();
            make(mount, "b", 10);
            Poll.until("another leader", 60, () -> !leader(cluster).equals(full));
            // What the reserve gave back, too: now a follower cannot write its log.
            Path log = cluster.log(full);
            for (int i = 0; !Files.readString(log).contains("goes on when there is room"); i++) {
                assertTrue(i < 60, () -> "no write fails at " + full);
                disk.fill();
                make(mount, "c" + i + "-", 100);
            }
            assertTrue(cluster.process(full).isAlive());
            make(mount, "d", 10);
            disk.makeRoom();
            Poll.until("room", 60, () -> Files.readString(log).contains("has room again"));
            // One of the two others is needed no more.
            cluster.kill(full.equals("m1") ? "m2" : "m1");
            try {
                make(mount, "e", 10);
            } catch (AssertionError e) {
                throw new AssertionError(e.getMessage() + lastLines(cluster), e);
            }
            assertEquals(4000, Files.size(mount.resolve("e10")));
        } finally {
            disks.forEach(SmallDisk::close);
        }
    }

    @Test
    void fullChunkServersAreReadAndAreNoDyingDisks() throws Exception {
        try (SmallDisk one = new SmallDisk("c1", "200m");
                SmallDisk two = new SmallDisk("c2", "200m");
                ProcessCluster cluster = new ProcessCluster(directory, 2)) {
            cluster.startMasters(1, 2);
            cluster.startChunkServers(2);
            Path mount = cluster.mount("mnt");
            byte[] kept = write(mount.resolve("kept"), 20 << 20);
            Shell.run(mount, "sync kept");
            one.fill();
            two.fill();
            for (int i = 0; i < 12; i++) {
                String said =
                        refusal(mount, "dd if=/dev/zero of=f" + i + " bs=1M count=6 conv=fsync");
                assertTrue(said.contains(FULL), said);
                assertFalse(said.contains("Input/output error"), said);
            }
            assertArrayEqual(kept, mount.resolve("kept"));
            for (String name : new String[] {"c1", "c2"}) {
                cluster.kill(name);
                cluster.start(name);
            }
            Path other = cluster.mount("other");
            Poll.until(
                    "a read",
                    90,
                    () -> Arrays.equals(kept, Files.readAllBytes(other.resolve("kept"))));
            one.makeRoom();
            two.makeRoom();
            Poll.until(
                    "a write",
                    60,
                    () -> refusal(other, "dd if=kept of=again bs=1M conv=fsync").contains("done"));
            assertArrayEqual(kept, mount.resolve("again"));
            assertFalse(Files.readString(cluster.log("c1")).contains("check the disk"));
        }
    }

    /** How many blobs of a megabyte and more a chunk server has. */
    private static long blobs(SmallDisk disk) throws Exception {
        return Shell.run(disk.mountpoint, "find . -type f -size +900k ! -name hog").lines().count();
    }

    @Test
    void newChunksGoToOtherDisksBeforeOneIsFull() throws Exception {
        try (SmallDisk one = new SmallDisk("c1", "200m");
                SmallDisk two = new SmallDisk("c2", "400m");
                ProcessCluster cluster = new ProcessCluster(directory, 1)) {
            cluster.startMasters(1, 1);
            cluster.startChunkServers(2);
            Path mount = cluster.mount("mnt");
            write(mount.resolve("kept"), 20 << 20);
            Shell.run(mount, "sync kept");
            assertTrue(blobs(one) > 0 && blobs(two) > 0, "both have some");
            // 20 MiB above the reserve of 64 MiB are left.
            Shell.run(
                    one.mountpoint,
                    "head -c $(($(df --output=avail -B1 . | tail -1) - (84 << 20))) /dev/zero"
                            + " >hog");
            Poll.until(
                    "a file that goes past the full disk",
                    60,
                    () -> {
                        long before = blobs(one);
                        Shell.run(mount, "dd if=/dev/zero of=try bs=1M count=8 conv=fsync");
                        boolean past = blobs(one) == before;
                        Files.delete(mount.resolve("try"));
                        return past;
                    });
            long before = blobs(one);
            for (int i = 0; i < 3; i++) {
                String script = "dd if=/dev/zero of=f" + i + " bs=1M count=16 conv=fsync";
                assertTrue(refusal(mount, script).contains("done"), "file " + i);
            }
            String grows = "dd if=/dev/zero of=kept bs=1M count=16 oflag=append conv=notrunc,fsync";
            assertTrue(refusal(mount, grows).contains("done"));
            assertTrue(blobs(one) <= before, before + " and then " + blobs(one));
            byte[] again = new byte[20 << 20];
            Arrays.fill(again, (byte) 7);
            Files.write(mount.resolve("kept"), again, StandardOpenOption.WRITE);
            Shell.run(mount, "sync kept");
            try (InputStream in = Files.newInputStream(mount.resolve("kept"))) {
                assertTrue(Arrays.equals(again, in.readNBytes(again.length)));
            }
        }
    }

    @Test
    void chunksWithBytesLeaveAFullDiskWhenTheyAreWritten() throws Exception {
        try (SmallDisk one = new SmallDisk("c1", "200m");
                SmallDisk two = new SmallDisk("c2", "600m");
                ProcessCluster cluster = new ProcessCluster(directory, 1)) {
            cluster.startMasters(1, 1);
            cluster.startChunkServers(2);
            Path mount = cluster.mount("mnt");
            List<byte[]> written = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                written.add(write(mount.resolve("f" + i), 1 << 20));
            }
            Shell.run(mount, "sync f*");
            assertTrue(blobs(one) > 0 && blobs(two) > 0, "both have some");
            for (int i = 0; i < written.size(); i++) {
                // What has left it makes room there for the next one.
                one.fill();
                byte[] more = Arrays.copyOf(written.get(i), 3 << 20);
                new Random(i).nextBytes(more);
                System.arraycopy(written.get(i), 0, more, 0, 1 << 20);
                written.set(i, more);
                Files.write(directory.resolve("more"), more);
                String grows = "dd if=../more of=f" + i + " bs=1M skip=1 seek=1 conv=notrunc,fsync";
                String said = refusal(mount, grows);
                assertTrue(said.contains("done"), "file " + i + ": " + said);
            }
            // Nothing of the files is there any more.
            cluster.kill("c1");
            Path other = cluster.mount("other");
            for (int i = 0; i < written.size(); i++) {
                assertArrayEqual(written.get(i), other.resolve("f" + i));
            }
        }
    }

    @Test
    void aDirectoryWhoseDiskIsNotMountedIsNoNewTarget() throws Exception {
        try (SmallDisk disk = new SmallDisk("c1", "200m");
                ProcessCluster cluster = new ProcessCluster(directory, 1)) {
            cluster.startMasters(1, 1);
            cluster.startChunkServers(1);
            Path mount = cluster.mount("mnt");
            byte[] kept = write(mount.resolve("kept"), 5 << 20);
            Shell.run(mount, "sync kept");
            end(cluster, "c1");
            Path copy = Files.createDirectories(directory.resolve("copy"));
            Shell.run(directory, "cp -a c1/. copy/");
            disk.unmount();
            CairnProcess.Result refused =
                    CairnProcess.run(
                            directory,
                            "chunk",
                            "--id",
                            "c1",
                            "--data",
                            directory.resolve("c1").toString(),
                            "--listen",
                            "127.0.0.1:" + ProcessCluster.freePort(),
                            "--masters",
                            cluster.masters());
            String said = refused.output();
            assertEquals(ExitCode.CANNOT_CREATE, refused.exitCode(), said);
            assertTrue(said.contains("is the disk mounted?") && said.contains("--format"), said);
            try (Stream<Path> left = Files.list(directory.resolve("c1"))) {
                assertEquals(0, left.count(), said);
            }
            assertTrue(Files.exists(copy.resolve("FORMAT")));
            // A new disk takes its place, and then another one, without being asked again.
            runUntilReady(cluster, "new1", "--format");
            runUntilReady(cluster, "new1,new2");
            Shell.run(directory, "cp -a copy/. c1/");
            runUntilReady(cluster, "new1,new2,c1");
            Poll.until(
                    "a read",
                    60,
                    () -> Arrays.equals(kept, Files.readAllBytes(mount.resolve("kept"))));
            end(cluster, "c1");
            // The copy from the beginning was not there in that time.
            cluster.start("c1", chunk(cluster, "new1,new2,copy"));
            Poll.until(
                    "the refusal of a copy",
                    60,
                    () -> Files.readString(cluster.log("c1")).contains("is an older copy"));
            end(cluster, "c1");
            runUntilReady(cluster, "new1,new2,copy", "--adopt");
            Poll.until(
                    "a read of the copy",
                    60,
                    () -> Arrays.equals(kept, Files.readAllBytes(mount.resolve("kept"))));
        }
    }

    @Test
    void copiesOfADiskThatIsGoneAreMadeAnewOnAnotherOneOfItsServer() throws Exception {
        try (SmallDisk disk = new SmallDisk("d1", "200m");
                ProcessCluster cluster = new ProcessCluster(directory, 2)) {
            cluster.startMasters(1, 2);
            cluster.start("c1", chunk(cluster, "d1,d2"));
            String[] second = chunk(cluster, "d3");
            second[2] = "c2";
            cluster.start("c2", second);
            Path mount = cluster.mount("mnt");
            List<byte[]> kept = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                kept.add(write(mount.resolve("f" + i), 1 << 20));
            }
            Shell.run(mount, "sync f*");
            assertTrue(blobs(disk) > 0, "it has some");
            disk.unmount();
            String find = "find d2 -type f -size +900k";
            Poll.until(
                    "all copies on the other disk",
                    60,
                    () -> Shell.run(directory, find).lines().count() == kept.size());
            for (int i = 0; i < kept.size(); i++) {
                String name = "f" + i;
                Poll.until("two copies of " + name, 60, () -> isServedTwice(cluster, name));
            }
            cluster.kill("c2");
            Path other = cluster.mount("other");
            for (int i = 0; i < kept.size(); i++) {
                assertArrayEqual(kept.get(i), other.resolve("f" + i));
            }
        }
    }

    /** By the admin API, which tells the state of each copy. */
    private static boolean isServedTwice(ProcessCluster cluster, String name) throws Exception {
        String address = cluster.process("m1").await("admin on (\\S+)", 60).group(1);
        CommandResult told =
                CommandResult.of(
                        List.of(
                                "fs",
                                "info",
                                "/" + name,
                                "--api",
                                "http://" + address,
                                "--token-file",
                                cluster.awaitFirstToken().toString()));
        assertEquals(0, told.code(), told.errors());
        String states = told.out().toLowerCase(Locale.ROOT);
        return states.split("serving", -1).length == 3
                && !states.contains("syncing")
                && !states.contains("offline");
    }

    private static void runUntilReady(ProcessCluster cluster, String data, String... more)
            throws Exception {
        if (cluster.process("c1").isAlive()) {
            end(cluster, "c1");
        }
        cluster.start("c1", chunk(cluster, data, more)).await(CairnProcess.READY, 60);
    }

    private static String[] chunk(ProcessCluster cluster, String data, String... more) {
        List<String> command = new ArrayList<>(List.of("chunk", "--id", "c1", "--data"));
        command.add(
                Stream.of(data.split(","))
                        .map(each -> cluster.directory().resolve(each).toString())
                        .collect(Collectors.joining(",")));
        command.addAll(List.of("--listen", "127.0.0.1:" + ProcessCluster.freePort()));
        command.addAll(List.of("--masters", cluster.masters()));
        command.addAll(List.of(more));
        return command.toArray(String[]::new);
    }

    private static void assertArrayEqual(byte[] expected, Path file) throws IOException {
        assertTrue(Arrays.equals(expected, Files.readAllBytes(file)), file + " differs");
    }
}
