package io.cairn.runtime;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.random.RandomGenerator;

/**
 * Which start of the machine this is. As long as it stays the same, what a process wrote to files
 * is there after its end, synced or not; another one means that what was not synced may be gone.
 */
public final class BootIdentity {
    private static final Path LINUX = Path.of("/proc/sys/kernel/random/boot_id");

    private BootIdentity() {}

    /**
     * A number that this start of the machine has and no other one, not 0. Where the kernel tells
     * none, a random one: as if the machine had just been started.
     */
    public static long ofMachine(RandomGenerator random) {
        return read(LINUX, random);
    }

    /** The same from another file. */
    static long read(Path file, RandomGenerator random) {
        try {
            UUID id = UUID.fromString(Files.readString(file, StandardCharsets.US_ASCII).strip());
            long number = id.getMostSignificantBits() ^ id.getLeastSignificantBits();
            return number == 0 ? 1 : number;
        } catch (IOException | IllegalArgumentException e) {
            return random.nextLong() | 1;
        }
    }
}
