package io.cairn.cli.doctor;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The directories where data is or will be: filesystem, options, space, kind of disk, fsync. */
public final class DiskChecks {
    private static final Set<String> GOOD_TYPES = Set.of("ext4", "xfs", "btrfs", "zfs", "bcachefs");
    private static final Set<String> PASSING_TYPES = Set.of("tmpfs", "ramfs", "overlay", "aufs");
    private static final Set<String> FOREIGN_TYPES =
            Set.of("nfs", "nfs4", "cifs", "smb3", "9p", "virtiofs", "vfat", "exfat", "ntfs3");
    private static final Set<String> LYING_OPTIONS =
            Set.of("nobarrier", "barrier=0", "data=writeback");
    private static final long LEAST_BYTES = 1L << 30;
    private static final int SYNCS = 9;
    private static final double SLOW_SYNC_MS = 20;

    private final Machine machine;
    private final Storage storage;
    private final boolean masters;

    /** Questions to the disks themselves. */
    public interface Storage {
        /** Bytes that may be written below a directory, and all of its filesystem. */
        long[] freeAndTotalBytes(Path directory) throws IOException;

        /** The median time of an fsync of 4 KiB in a directory, in milliseconds. */
        double syncMs(Path directory) throws IOException;
    }

    /**
     * Checks of a machine.
     *
     * @param masters whether a master may keep its state there, which asks more of a disk
     */
    public DiskChecks(Machine machine, Storage storage, boolean masters) {
        this.machine = machine;
        this.storage = storage;
        this.masters = masters;
    }

    /** The disks of this machine. */
    public static Storage disks() {
        return new Storage() {
            @Override
            public long[] freeAndTotalBytes(Path directory) throws IOException {
                FileStore store = Files.getFileStore(directory);
                return new long[] {store.getUsableSpace(), store.getTotalSpace()};
            }

            @Override
            public double syncMs(Path directory) throws IOException {
                return measureSync(directory);
            }
        };
    }

    /** Looks at directories; one that is not there yet is judged by its nearest parent. */
    public List<Finding> run(List<Path> directories) {
        List<Finding> findings = new ArrayList<>();
        Map<String, Path> bySource = new HashMap<>();
        for (Path directory : directories) {
            Path there = directory.toAbsolutePath().normalize();
            while (!Files.exists(there) && there.getParent() != null) {
                there = there.getParent();
            }
            MountEntry mount = mountOf(there);
            findings.add(filesystem(directory, mount));
            findings.add(space(directory, there));
            if (mount != null) {
                findings.add(device(directory, mount));
                Path other = bySource.putIfAbsent(mount.source() + mount.mountpoint(), directory);
                if (other != null) {
                    findings.add(
                            Finding.warn(
                                    "disk",
                                    other + " and " + directory + " are on one filesystem",
                                    "give every directory a disk of its own: copies on one disk are"
                                            + " lost together"));
                }
            }
            findings.add(sync(directory, there));
        }
        return findings;
    }

    private @Nullable MountEntry mountOf(Path directory) {
        Path real;
        try {
            real = directory.toRealPath();
        } catch (IOException e) {
            real = directory;
        }
        MountEntry best = null;
        for (String line : machine.lines("/proc/self/mountinfo")) {
            MountEntry entry = MountEntry.parse(line);
            if (entry != null
                    && real.startsWith(entry.mountpoint())
                    && (best == null
                            || entry.mountpoint().getNameCount()
                                    >= best.mountpoint().getNameCount())) {
                best = entry;
            }
        }
        return best;
    }

    private static Finding filesystem(Path directory, @Nullable MountEntry mount) {
        if (mount == null) {
            return Finding.warn("disk", directory + ": on no known mount", "mount /proc");
        }
        String text = directory + ": " + mount.type() + " on " + mount.source();
        List<String> lying = mount.options().stream().filter(LYING_OPTIONS::contains).toList();
        if (!lying.isEmpty()) {
            return Finding.fail(
                    "disk",
                    text + " with " + String.join(",", lying) + ", which loses synced data",
                    "mount it without " + String.join(",", lying));
        }
        if (mount.options().contains("ro")) {
            return Finding.fail("disk", text + ", read-only", "mount it read-write");
        }
        if (FOREIGN_TYPES.contains(mount.type()) || mount.type().startsWith("fuse")) {
            return Finding.fail(
                    "disk",
                    text + ", which does not keep what fsync promises",
                    "use a local disk with xfs or ext4");
        }
        if (PASSING_TYPES.contains(mount.type())) {
            return Finding.warn(
                    "disk",
                    text + ", whose contents go with the machine or the container",
                    "use a disk with xfs or ext4, in a container a volume");
        }
        if (!GOOD_TYPES.contains(mount.type())) {
            return Finding.warn("disk", text + " is not among the tested", "use xfs or ext4");
        }
        if (mount.options().contains("sync")) {
            return Finding.warn("disk", text + " with sync, which is slow", "mount it without");
        }
        return Finding.ok("disk", text);
    }

    private Finding space(Path directory, Path there) {
        try {
            long[] bytes = storage.freeAndTotalBytes(there);
            long percent = bytes[1] <= 0 ? 0 : bytes[0] * 100 / bytes[1];
            String text =
                    directory + ": " + SystemChecks.size(bytes[0]) + " free (" + percent + " %)";
            String remedy = "free space, or choose another directory";
            if (bytes[0] < LEAST_BYTES) {
                return Finding.fail("space", text, remedy);
            }
            return percent < 10 ? Finding.warn("space", text, remedy) : Finding.ok("space", text);
        } catch (IOException e) {
            return Finding.fail("space", directory + ": " + e, "look at the disk");
        }
    }

    private Finding device(Path directory, MountEntry mount) {
        if (!mount.source().startsWith("/dev/")) {
            return Finding.ok("device", directory + ": " + mount.source() + ", kind not known");
        }
        Path name = Path.of(mount.source());
        try {
            name = machine.file(mount.source()).toRealPath();
        } catch (IOException e) {
            // Not visible here, as in a container: the name itself is the best there is.
        }
        String block = "/sys/class/block/" + name.getFileName();
        String rotational = machine.read(block + "/queue/rotational");
        if (rotational == null) {
            rotational = machine.read(block + "/../queue/rotational");
        }
        if ("1".equals(rotational)) {
            return masters
                    ? Finding.warn(
                            "device",
                            directory + ": " + mount.source() + " rotates",
                            "keep the state of a master on a disk that does not; chunks are fine")
                    : Finding.ok("device", directory + ": " + mount.source() + " rotates");
        }
        return Finding.ok(
                "device",
                directory
                        + ": "
                        + mount.source()
                        + (rotational == null ? ", kind not known" : " does not rotate"));
    }

    private Finding sync(Path directory, Path there) {
        if (!Files.isDirectory(there) || !Files.isWritable(there)) {
            return Finding.fail(
                    "fsync",
                    directory + ": may not be written by this user",
                    "run as its owner, or chown it");
        }
        try {
            double ms = storage.syncMs(there);
            String text = String.format("%s: fsync takes %.2f ms", directory, ms);
            return ms <= SLOW_SYNC_MS
                    ? Finding.ok("fsync", text)
                    : Finding.warn(
                            "fsync",
                            text,
                            "every change of names waits for a master's fsync: use a disk with a"
                                    + " protected cache for masters");
        } catch (IOException e) {
            return Finding.fail("fsync", directory + ": " + e, "look at the disk and at dmesg");
        }
    }

    private static double measureSync(Path directory) throws IOException {
        Path file = Files.createTempFile(directory, ".cairn-doctor", null);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            double[] ms = new double[SYNCS];
            for (int i = 0; i < SYNCS; i++) {
                long begin = System.nanoTime();
                if (channel.write(ByteBuffer.allocate(4096), i * 4096L) <= 0) {
                    throw new IOException("nothing could be written to " + file);
                }
                channel.force(true);
                ms[i] = (System.nanoTime() - begin) / 1e6;
            }
            Arrays.sort(ms);
            return ms[SYNCS / 2];
        } finally {
            Files.deleteIfExists(file);
        }
    }
}
