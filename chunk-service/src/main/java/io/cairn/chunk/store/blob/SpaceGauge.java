package io.cairn.chunk.store.blob;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.runtime.Disk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Keeps the reserve of a target free. Asks the disk once for many small allocations: the gauge then
 * hands out an eighth of what is free (64 MiB at most) before it asks again. Thread-safe.
 */
public final class SpaceGauge {
    private static final long MIN_RESERVE_BYTES = 64L << 20;
    private static final long MAX_RESERVE_BYTES = 1L << 30;
    private static final long MAX_ALLOWANCE_BYTES = 64L << 20;

    private final Disk disk;
    private final Path root;
    private final long reserveBytes;
    private final AtomicLong allowance = new AtomicLong();

    /**
     * A gauge of the disk that holds a directory.
     *
     * @param reserveBytes below 0: 1 % of the disk, within 64 MiB..1 GiB
     */
    public SpaceGauge(Disk disk, Path root, long reserveBytes) throws IOException {
        this.disk = disk;
        this.root = root;
        this.reserveBytes =
                reserveBytes >= 0
                        ? reserveBytes
                        : Math.clamp(
                                disk.totalBytes(root) / 100, MIN_RESERVE_BYTES, MAX_RESERVE_BYTES);
    }

    public long capacityBytes() throws IOException {
        return Math.max(0, disk.totalBytes(root) - reserveBytes);
    }

    public long freeBytes() throws IOException {
        return Math.max(0, disk.usableBytes(root) - reserveBytes);
    }

    /** ENOSPC when so much cannot be allocated without touching the reserve. */
    public void check(long bytes) throws IOException {
        if (bytes > allowance.get()) {
            ask(bytes);
        }
    }

    /** The same, and counts it as allocated. */
    public void take(long bytes) throws IOException {
        check(bytes);
        allowance.addAndGet(-bytes);
    }

    /**
     * Counts what takes the place of something that is there and then given back: the reserve is
     * for this, so that a full disk can take back what others had no room for.
     */
    public void lend(long bytes) {
        allowance.addAndGet(-bytes);
    }

    private void ask(long bytes) throws IOException {
        long free = freeBytes();
        if (bytes > free) {
            throw new FsException(
                    Errno.ENOSPC,
                    root
                            + ": "
                            + free
                            + " bytes free above the reserve of "
                            + reserveBytes
                            + "; add a target or delete files");
        }
        allowance.set(Math.max(bytes, Math.min(free / 8, MAX_ALLOWANCE_BYTES)));
    }
}
