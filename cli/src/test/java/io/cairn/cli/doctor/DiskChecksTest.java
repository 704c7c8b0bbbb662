package io.cairn.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cli.doctor.Finding.Level;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DiskChecksTest {
    private static final long GIB = 1L << 30;

    @TempDir private Path root;
    @TempDir private Path directory;

    private long freeBytes = 500 * GIB;
    private double syncMs = 0.5;
    private FakeMachine machine = new FakeMachine(Path.of("/"));

    @BeforeEach
    void makeUpAMachine() {
        machine = new FakeMachine(root);
        mounted("ext4", "/dev/sda1", "rw,relatime");
        machine.with("/sys/class/block/sda1/queue/rotational", "0\n");
    }

    private void mounted(String type, String source, String options) {
        try {
            machine.with(
                    "/proc/self/mountinfo",
                    "22 1 0:20 / / rw - overlay overlay rw\n"
                            + "29 22 8:1 / "
                            + directory.toRealPath()
                            + " "
                            + options
                            + " shared:1 - "
                            + type
                            + " "
                            + source
                            + " rw\n");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private List<Finding> look(boolean masters, Path... directories) {
        DiskChecks.Storage storage =
                new DiskChecks.Storage() {
                    @Override
                    public long[] freeAndTotalBytes(Path at) {
                        return new long[] {freeBytes, 1000 * GIB};
                    }

                    @Override
                    public double syncMs(Path at) {
                        return syncMs;
                    }
                };
        return new DiskChecks(machine.machine(), storage, masters).run(List.of(directories));
    }

    private Finding find(String check) {
        return look(true, directory).stream()
                .filter(f -> f.check().equals(check))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aGoodDisk() {
        for (Finding finding : look(true, directory)) {
            assertEquals(Level.OK, finding.level(), finding.toString());
        }
    }

    @Test
    void typesOfFilesystems() {
        mounted("nfs4", "server:/x", "rw");
        assertEquals(Level.FAIL, find("disk").level());
        mounted("fuse.sshfs", "server:/x", "rw");
        assertEquals(Level.FAIL, find("disk").level());
        mounted("tmpfs", "tmpfs", "rw");
        assertEquals(Level.WARN, find("disk").level());
        mounted("xfs", "/dev/sda1", "rw");
        assertEquals(Level.OK, find("disk").level());
        mounted("reiserfs", "/dev/sda1", "rw");
        assertEquals(Level.WARN, find("disk").level());
    }

    @Test
    void optionsThatLoseDataFail() {
        mounted("ext4", "/dev/sda1", "rw,nobarrier");
        assertEquals(Level.FAIL, find("disk").level());
        assertTrue(find("disk").text().contains("nobarrier"));
        mounted("ext4", "/dev/sda1", "ro,relatime");
        assertEquals(Level.FAIL, find("disk").level());
    }

    @Test
    void spaceRunsOut() {
        freeBytes = 50 * GIB;
        assertEquals(Level.WARN, find("space").level());
        freeBytes = GIB / 2;
        assertEquals(Level.FAIL, find("space").level());
    }

    @Test
    void aMasterWantsADiskThatDoesNotRotate() {
        machine.with("/sys/class/block/sda1/queue/rotational", "1\n");
        assertEquals(Level.WARN, find("device").level());
        assertFalse(look(false, directory).stream().anyMatch(f -> f.level() != Level.OK));
    }

    @Test
    void slowSyncs() {
        syncMs = 35;
        assertEquals(Level.WARN, find("fsync").level());
    }

    @Test
    void twoDirectoriesOnOneDisk() throws IOException {
        Path one = Files.createDirectory(directory.resolve("one"));
        List<Finding> findings = look(false, one, directory.resolve("not-yet"));
        assertTrue(
                findings.stream().anyMatch(f -> f.text().contains("one filesystem")),
                findings.toString());
    }

    @Test
    void theDisksOfThisMachineCanBeMeasured() throws IOException {
        DiskChecks.Storage disks = DiskChecks.disks();
        assertTrue(disks.syncMs(directory) >= 0);
        assertTrue(disks.freeAndTotalBytes(directory)[1] > 0);
        try (var left = Files.list(directory)) {
            assertEquals(0, left.count());
        }
    }

    @Test
    void namesOfMountpointsAreUnescaped() {
        MountEntry entry =
                MountEntry.parse("29 22 8:1 / /a\\040b rw,noatime shared:1 - xfs /dev/sdb1 rw,x");
        assertEquals(
                new MountEntry(
                        Path.of("/a b"), "xfs", "/dev/sdb1", List.of("rw", "noatime", "rw", "x")),
                entry);
        assertEquals(null, MountEntry.parse("nothing of the kind"));
    }
}
