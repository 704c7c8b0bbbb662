package io.cairn.master.store;

import io.cairn.base.Wording;
import io.cairn.runtime.Disk;
import io.cairn.runtime.DiskFullException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The room on the disk of a master. Neither Ratis nor RocksDB can go on after a write that found
 * none, so the master takes no changes any more while there is little, and goes on reading.
 *
 * <p>Other programs fill the disk without asking. So a file keeps a reserve, which is given up when
 * the room is nearly gone: what is under way can be finished, and a master be started. It is made
 * again when there is room for it. Thread-safe.
 */
public final class Headroom {
    private static final Logger LOG = LoggerFactory.getLogger(Headroom.class);
    private static final String FILE = "reserve";

    /** What the system says of ENOSPC and EDQUOT, in messages of the JDK and of RocksDB. */
    private static final List<String> NO_ROOM =
            List.of("No space left on device", "Disk quota exceeded");

    private static final long SMALLEST_BYTES = 1L << 20;
    private static final long LARGEST_BYTES = 64L << 20;

    private final Disk disk;
    private final Path directory;
    private final Path reserve;
    private final long reserveBytes;
    private final long lowBytes;
    private boolean held;
    private volatile boolean low;

    /**
     * The room for a directory, which exists; makes or gives up the reserve.
     *
     * @throws IOException when the disk does not tell its size
     */
    public Headroom(Disk disk, Path directory) throws IOException {
        this.disk = disk;
        this.directory = directory;
        this.reserve = directory.resolve(FILE);
        this.reserveBytes = reserveBytes(disk, directory);
        this.lowBytes = reserveBytes / 2;
        this.held = disk.exists(reserve);
        look();
    }

    /**
     * Whether a failure comes of a write that found no room, on the disk or in a quota on it. There
     * may be room again since.
     */
    public static boolean isBehind(@Nullable Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            String said = String.valueOf(each.getMessage());
            if (each instanceof DiskFullException || NO_ROOM.stream().anyMatch(said::contains)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a master that has not run yet, or failed, is not to be opened in a directory. */
    public static boolean isScarce(Disk disk, Path directory) {
        try {
            long usable = disk.usableBytes(directory);
            if (disk.exists(directory.resolve(FILE))) {
                return false; // It is given up for this.
            }
            return usable < reserveBytes(disk, directory) / 4;
        } catch (IOException e) {
            return false; // What is wrong shows when it is opened.
        }
    }

    private static long reserveBytes(Disk disk, Path directory) throws IOException {
        return Math.clamp(disk.totalBytes(directory) / 16, SMALLEST_BYTES, LARGEST_BYTES);
    }

    /** Whether there is so little that nothing may be changed. */
    public boolean isLow() {
        return low;
    }

    /** Looks at the disk; to be called several times a second. Never fails. */
    public synchronized void look() {
        try {
            long usable = disk.usableBytes(directory);
            if (held && usable < lowBytes / 4) {
                disk.delete(reserve);
                held = false;
                LOG.warn("{}: the reserve is given up, the disk is full", directory);
            } else if (!held && usable >= reserveBytes + 2 * lowBytes) {
                disk.allocate(reserve, reserveBytes);
                held = true;
                usable -= reserveBytes;
            }
            judge(held ? usable : usable - reserveBytes);
        } catch (IOException e) {
            LOG.debug("{}: {}", reserve, Wording.of(e));
        }
    }

    /** A disk that was low stays low until there is twice as much. */
    private void judge(long usable) {
        boolean now = usable < (low ? 2 * lowBytes : lowBytes);
        if (now && !low) {
            LOG.error(
                    "{}: less than {} MiB of room are left: nothing can be changed until there is"
                            + " more; make room on this disk",
                    directory,
                    String.format(Locale.ROOT, "%.1f", lowBytes / 1048576.0));
        } else if (low && !now) {
            LOG.info("{}: there is room again", directory);
        }
        low = now;
    }
}
