package io.cairn.chunk.store;

import io.cairn.chunk.store.seal.Keyring;
import io.cairn.runtime.Clock;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * Settings of a target.
 *
 * @param reserveBytes the target refuses new allocation when fewer bytes are free; below 0: 1 % of
 *     the disk, at least 64 MiB, at most 1 GiB
 * @param openBlobs blobs kept open at a time, 16..1048576: file descriptors and about 4 KiB of
 *     memory each (for chunks of 4 MiB)
 * @param dirtyBlobs blobs that may hold unsynced writes before the oldest are synced, 16..1048576:
 *     bounds recovery after an unclean stop
 * @param random draws the identity of a freshly formatted target
 * @param clock tells how long the disk takes
 * @param host what the target has from its server
 */
public record StoreSettings(
        long reserveBytes,
        int openBlobs,
        int dirtyBlobs,
        RandomGenerator random,
        Clock clock,
        Host host) {
    private static final int LEAST = 16;
    private static final int MOST = 1 << 20;

    /**
     * What all targets of a server share.
     *
     * @param boot identity of this start of the machine and of the mount of the disk, asked once
     *     the directory is there; 0 when it cannot be told: then every start may follow a loss of
     *     power
     * @param keys of chunks that are encrypted
     */
    public record Host(LongSupplier boot, Keyring keys) {}

    /** Checks the ranges. */
    public StoreSettings {
        check("openBlobs", openBlobs);
        check("dirtyBlobs", dirtyBlobs);
    }

    /** Of a machine that does not know which start this is. */
    public StoreSettings(
            long reserveBytes, int openBlobs, int dirtyBlobs, RandomGenerator random, Clock clock) {
        this(
                reserveBytes,
                openBlobs,
                dirtyBlobs,
                random,
                clock,
                new Host(StoreSettings::unknownBoot, new Keyring(null)));
    }

    /** Reserve by size of the disk, 1024 open blobs, 16384 dirty ones. */
    public static StoreSettings standard(RandomGenerator random, Clock clock) {
        return new StoreSettings(-1, 1024, 16384, random, clock);
    }

    /** Nothing tells one start of the machine from another. */
    private static long unknownBoot() {
        return 0;
    }

    /** The same with another reserve. */
    public StoreSettings withReserveBytes(long newReserveBytes) {
        return new StoreSettings(newReserveBytes, openBlobs, dirtyBlobs, random, clock, host);
    }

    /** The same on a machine that knows which start this is. */
    public StoreSettings withBoot(LongSupplier boot) {
        return with(new Host(boot, host.keys));
    }

    /** The same on a server that knows keys. */
    public StoreSettings withKeys(Keyring keys) {
        return with(new Host(host.boot, keys));
    }

    private StoreSettings with(Host other) {
        return new StoreSettings(reserveBytes, openBlobs, dirtyBlobs, random, clock, other);
    }

    private static void check(String name, int value) {
        if (value < LEAST || value > MOST) {
            throw new IllegalArgumentException(
                    name + " is " + value + "; it must lie in " + LEAST + ".." + MOST);
        }
    }
}
