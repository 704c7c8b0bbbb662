package io.cairn.runtime;

import io.cairn.os.SystemCalls;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.random.RandomGenerator;

/**
 * Since when files on some disks are remembered without having been synced: the start of the
 * machine and the mounts of the disks. As long as it stays the same, what a process wrote to files
 * is there after its end, synced or not; another one means that what was not synced may be gone. A
 * disk can lose its power, and be mounted again, without its machine.
 */
public final class BootIdentity {
    private static final Path LINUX = Path.of("/proc/sys/kernel/random/boot_id");

    private BootIdentity() {}

    /**
     * A number that stays while the machine runs and the disks are mounted, and never comes again,
     * not 0. Where the kernel does not tell (unique numbers of mounts are there from Linux 6.8 on)
     * a random one: as if the machine had just been started.
     *
     * @param directories on the disks
     */
    public static long of(List<Path> directories, RandomGenerator random) {
        return read(LINUX, directories, random);
    }

    /** The same with another file for the start of the machine. */
    static long read(Path file, List<Path> directories, RandomGenerator random) {
        try {
            UUID id = UUID.fromString(Files.readString(file, StandardCharsets.US_ASCII).strip());
            long number = id.getMostSignificantBits() ^ id.getLeastSignificantBits();
            SystemCalls calls = new SystemCalls();
            for (Path directory : directories) {
                long mount = calls.mountNumber(directory.toString());
                if (mount < 0) {
                    return random.nextLong() | 1;
                }
                number = (number ^ mount) * 0x9e3779b97f4a7c15L;
                number ^= number >>> 32;
            }
            return number == 0 ? 1 : number;
        } catch (IOException | IllegalArgumentException e) {
            return random.nextLong() | 1;
        }
    }
}
