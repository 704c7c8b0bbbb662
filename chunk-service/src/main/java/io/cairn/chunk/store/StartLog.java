package io.cairn.chunk.store;

import io.cairn.base.Wording;
import io.cairn.chunk.store.format.TargetPaths;
import io.cairn.runtime.Disk;
import io.cairn.runtime.Disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which processes had a target: the file {@code starts}, two slots of 4096 bytes that are written
 * in turn, big-endian. It has its place for ever, so that a full disk takes it, too.
 *
 * <pre>
 *   0 +----------------------------------------------------------+
 *     | number of the write (8)                                  |
 *   8 +----------------------------+-----------------------------+
 *     | CRC32C of number and rest  | count (4)                   |
 *  16 +----------------------------+-----------------------------+
 *     | random number of each start (8 each), the last one last  |
 *     +----------------------------------------------------------+
 * </pre>
 *
 * <p>The master remembers the last start that it heard of. A copy of the directory that was made
 * before does not know it, and so is told apart from the original. A start is durable before it is
 * told; a start that the master has written down makes all earlier ones needless. Thread-safe.
 */
public final class StartLog {
    private static final Logger LOG = LoggerFactory.getLogger(StartLog.class);
    private static final int SLOT_BYTES = 4096;
    private static final int FIRST = 16;
    private static final int KEPT = 100;

    /** Stands for all starts there may have been before the first one that is known. */
    private static final long ANY = 0;

    private final Disk disk;
    private final TargetPaths paths;
    private List<Long> starts = List.of();
    private long number;

    StartLog(Disk disk, TargetPaths paths) {
        this.disk = disk;
        this.paths = paths;
    }

    /** The starts since the one that the master knows for sure; none before {@link #begin}. */
    public synchronized List<Long> list() {
        return starts;
    }

    /**
     * This process has the target now. When that cannot be written the starts before it are told.
     */
    public synchronized void begin(long start) {
        try {
            List<Long> next = new ArrayList<>(read());
            if (next.isEmpty()) {
                next.add(ANY);
            }
            starts = List.copyOf(next);
            if (next.size() >= KEPT) {
                next.remove(1);
            }
            next.add(start);
            write(next);
        } catch (IOException e) {
            LOG.warn("{}: this start is not written down: {}", paths.starts(), Wording.of(e));
        }
    }

    /** The master has written down that this process has the target. */
    public synchronized void confirm(long start) {
        if (starts.size() < 2 || starts.getLast() != start) {
            return;
        }
        try {
            write(List.of(start));
        } catch (IOException e) {
            LOG.debug("{}: {}", paths.starts(), Wording.of(e));
        }
    }

    private List<Long> read() throws IOException {
        List<Long> found = List.of();
        if (!disk.exists(paths.starts())) {
            return found;
        }
        try (DiskFile file = disk.open(paths.starts())) {
            for (int slot = 0; slot < 2; slot++) {
                ByteBuffer bytes = ByteBuffer.allocate(SLOT_BYTES);
                file.readAll(bytes, (long) slot * SLOT_BYTES);
                int count = bytes.getInt(12);
                boolean isGood = count > 0 && count <= KEPT && bytes.getInt(8) == checksum(bytes);
                if (isGood && bytes.getLong(0) > number) {
                    number = bytes.getLong(0);
                    found = new ArrayList<>();
                    for (int i = 0; i < count; i++) {
                        found.add(bytes.getLong(FIRST + Long.BYTES * i));
                    }
                }
            }
        }
        return found;
    }

    private void write(List<Long> next) throws IOException {
        Path path = paths.starts();
        boolean isNew = !disk.exists(path);
        ByteBuffer bytes = ByteBuffer.allocate(SLOT_BYTES);
        bytes.putLong(number + 1).putInt(0).putInt(next.size());
        next.forEach(bytes::putLong);
        bytes.putInt(8, checksum(bytes));
        try (DiskFile file = disk.openOrCreate(path)) {
            if (isNew) {
                file.write(ByteBuffer.allocate(2 * SLOT_BYTES), 0);
            }
            file.write(bytes.clear(), (number + 1) % 2 * SLOT_BYTES);
            file.force(isNew);
        }
        if (isNew) {
            disk.forceDirectory(paths.root());
        }
        number++;
        starts = List.copyOf(next);
    }

    private static int checksum(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.slice(0, 8));
        crc.update(bytes.slice(12, SLOT_BYTES - 12));
        return (int) crc.getValue();
    }
}
