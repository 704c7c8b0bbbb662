package io.cairn.system;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A disk of its own whose power can be cut: an ext4 filesystem in a file, mounted through a loop
 * device. Needs root.
 *
 * <p>The cut is the shutdown ioctl of the kernel's filesystem without a flush of its journal. From
 * that moment nothing gets to the disk any more, and bytes that were only in memory are gone when
 * the disk is mounted again. Mounting replays the journal as after a real loss of power.
 */
final class ImageDisk implements AutoCloseable {
    private static final long BYTES = 1L << 30;

    /** {@code EXT4_IOC_SHUTDOWN} with {@code EXT4_GOING_FLAGS_NOLOGFLUSH}. */
    private static final String CUT =
            "perl -e 'open(D, q(<), $ARGV[0]) or die $!; my $how = pack(q(L), 2);"
                    + " ioctl(D, 0x8004587d, $how) or die $!' ";

    private final Path image;
    private final Path mountpoint;
    private final Process shell;
    private final BufferedWriter commands;
    private final BufferedReader answers;

    /** Makes the disk; before any file on a mount is open. */
    ImageDisk(Path directory) throws IOException {
        image = directory.resolve("disk.img");
        mountpoint = Files.createDirectories(directory.resolve("disk"));
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(BYTES);
        }
        shell = new ProcessBuilder("sh").redirectErrorStream(true).start();
        commands = shell.outputWriter();
        answers = shell.inputReader();
        run("mkfs.ext4 -q -F " + image);
        mount();
    }

    Path path() {
        return mountpoint;
    }

    private void mount() throws IOException {
        run("mount -o loop " + image + " " + mountpoint);
    }

    private void run(String command) throws IOException {
        String problem = problem(command);
        if (!problem.isEmpty()) {
            throw new IOException(command + ": " + problem);
        }
    }

    /**
     * Runs a command in the shell that was started before; what it said when it failed. A process
     * that this one starts has the open files on the mount closed before it runs, which waits for
     * servers without power.
     */
    private String problem(String command) throws IOException {
        commands.write("PATH=$PATH:/sbin:/usr/sbin; " + command + "; echo end $?\n");
        commands.flush();
        StringBuilder said = new StringBuilder();
        while (true) {
            String line = answers.readLine();
            if (line == null) {
                throw new IOException(command + ": the shell has ended: " + said);
            }
            if (line.startsWith("end ")) {
                return line.equals("end 0") ? "" : line + ": " + said;
            }
            said.append(line).append('\n');
        }
    }

    /** From now on nothing gets to the disk, and nothing can be read. */
    void cutPower() throws IOException {
        run(CUT + mountpoint);
    }

    /** The power is back. Whoever used the disk must have ended, or end soon. */
    void restorePower() throws IOException {
        Poll.until("the disk is not used", 20, () -> problem("umount " + mountpoint).isEmpty());
        mount();
    }

    @Override
    public void close() throws IOException {
        problem("umount -l " + mountpoint);
        commands.close();
        shell.destroy();
        Files.deleteIfExists(image);
    }
}
