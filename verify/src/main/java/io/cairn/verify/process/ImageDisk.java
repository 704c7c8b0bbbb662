package io.cairn.verify.process;

import io.cairn.runtime.Deadline;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * A disk of its own whose power can be cut: an ext4 filesystem in a file, mounted through a loop
 * device. Needs root.
 *
 * <p>The cut is the shutdown ioctl of the kernel's filesystem without a flush of its journal. From
 * that moment nothing gets to the disk any more, and all calls fail. Bytes that were only in memory
 * are gone when the disk is mounted again. Mounting replays the journal as after a real loss of
 * power.
 */
public final class ImageDisk implements AutoCloseable {
    private static final int BUSY_LIMIT_S = 20;

    /** {@code EXT4_IOC_SHUTDOWN} with {@code EXT4_GOING_FLAGS_NOLOGFLUSH}, of each argument. */
    private static final String CUT =
            "perl -e 'for (@ARGV) { open(D, q(<), $_) or die $!; my $how = pack(q(L), 2);"
                    + " ioctl(D, 0x8004587d, $how) or die $! }' ";

    private final CommandShell shell;
    private final Path image;
    private final Path mountpoint;

    /**
     * Makes the disk and mounts it.
     *
     * @param shell from before any file on a mount of the cluster was open
     * @param directory gets the image, and the mountpoint {@code disk}
     * @param bytes of the disk; those not used take no room
     * @throws IOException also when this user may not mount
     */
    public ImageDisk(CommandShell shell, Path directory, long bytes) throws IOException {
        this.shell = shell;
        image = directory.resolve("disk.img");
        mountpoint = Files.createDirectories(directory.resolve("disk"));
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(bytes);
        }
        shell.require("mkfs.ext4 -q -F " + CommandShell.quote(image.toString()));
        mount();
        shell.mounted(mountpoint.toString());
    }

    /** Where it is mounted. */
    public Path path() {
        return mountpoint;
    }

    private void mount() throws IOException {
        shell.require("mount -o loop " + CommandShell.quote(List.of(image.toString(), place())));
    }

    private String place() {
        return mountpoint.toString();
    }

    /** From now on nothing gets to the disk, and nothing can be read. */
    public void cutPower() throws IOException {
        cutPower(shell, List.of(this));
    }

    /** The same for several disks, one right after the other. */
    public static void cutPower(CommandShell shell, List<ImageDisk> disks) throws IOException {
        shell.require(
                CUT
                        + CommandShell.quote(
                                disks.stream().map(ImageDisk::place).collect(Collectors.toList())));
    }

    /** The power is back. Whoever used the disk must have ended, or end soon. */
    public void restorePower() throws IOException {
        Deadline end = Deadline.afterS(BUSY_LIMIT_S);
        CommandShell.Answer answer = shell.run("umount " + CommandShell.quote(place()));
        while (answer.code() != 0) {
            if (end.isOver()) {
                throw new IOException(answer.output());
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            answer = shell.run("umount " + CommandShell.quote(place()));
        }
        mount();
    }

    /** Takes all room that is left. */
    public void fill() throws IOException {
        String filler = CommandShell.quote(place() + "/filler");
        shell.run("cat /dev/zero > " + filler + " 2>/dev/null; sync " + filler);
    }

    /** Gives the room back. */
    public void empty() throws IOException {
        shell.run("rm -f " + CommandShell.quote(place() + "/filler"));
    }

    @Override
    public void close() throws IOException {
        shell.run("umount -l " + CommandShell.quote(place()));
        Files.deleteIfExists(image);
    }
}
