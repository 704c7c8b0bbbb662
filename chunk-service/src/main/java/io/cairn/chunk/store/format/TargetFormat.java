package io.cairn.chunk.store.format;

import io.cairn.chunk.store.format.TargetException.Reason;
import io.cairn.runtime.Disk;
import io.cairn.runtime.Disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * The identity of a target directory: the file {@code FORMAT}, 40 bytes, big-endian, replaced as a
 * whole:
 *
 * <pre>
 *   0 +----------------------------------------------------------+
 *     | magic "CAIRNTGT" (8)                                     |
 *   8 +----------------------------+-----------------------------+
 *     | format version (4)         | CRC32C of bytes 16..39 (4)  |
 *  16 +----------------------------+-----------------------------+
 *     | identity: random, for ever the same (8)                  |
 *  24 +----------------------------------------------------------+
 *     | cluster id, 0 while in none (8)                          |
 *  32 +----------------------------------------------------------+
 *     | 0 (8)                                                    |
 *     +----------------------------------------------------------+
 * </pre>
 *
 * @param identity names the target for ever
 * @param clusterId the cluster it belongs to, 0 when none
 */
public record TargetFormat(long identity, long clusterId) {
    private static final long MAGIC = 0x434149524e544754L;
    private static final int FORMAT_VERSION = 1;
    private static final int BYTES = 40;

    /**
     * Files that a formatting leaves when it was cut off, and those that a new filesystem contains.
     */
    private static final Set<String> HARMLESS =
            Set.of(
                    "LOCK",
                    "FORMAT.new",
                    "pg",
                    "ledger",
                    "incoming",
                    "quarantine",
                    "lost+found",
                    // The identity of a server is there before its targets.
                    "tls");

    /** Whether a directory was formatted; an error when it holds other things. */
    public static boolean isFormatted(Disk disk, TargetPaths paths) throws IOException {
        if (disk.exists(paths.format())) {
            return true;
        }
        List<String> names = disk.list(paths.root());
        if (names.contains("intents") || !disk.list(paths.groups()).isEmpty()) {
            throw new TargetException(
                    Reason.CORRUPT,
                    paths.format()
                            + " is missing, but there are blobs beside it; put it back, or move"
                            + " the directory away to begin an empty target");
        }
        if (!HARMLESS.containsAll(names)) {
            throw new TargetException(
                    Reason.NOT_EMPTY,
                    paths.root()
                            + " holds other files and no FORMAT; give an empty directory for a"
                            + " new target");
        }
        return false;
    }

    /** Reads the file. */
    public static TargetFormat read(Disk disk, TargetPaths paths) throws IOException {
        Path path = paths.format();
        ByteBuffer bytes = ByteBuffer.allocate(BYTES);
        try (DiskFile file = disk.open(path)) {
            file.readAll(bytes, 0);
        }
        bytes.flip();
        if (bytes.limit() < BYTES) {
            throw new TargetException(
                    Reason.CORRUPT,
                    path + " is too short; put it back from a backup, or replace the target");
        }
        if (bytes.getLong(0) != MAGIC) {
            throw new TargetException(
                    Reason.FOREIGN, path + " is not of a Cairn target; give another directory");
        }
        int version = bytes.getInt(8);
        if (version > FORMAT_VERSION) {
            throw new TargetException(
                    Reason.TOO_NEW,
                    path
                            + " has format "
                            + version
                            + ", this Cairn knows up to "
                            + FORMAT_VERSION
                            + "; start the later version");
        }
        if (version < FORMAT_VERSION) {
            throw new TargetException(
                    Reason.TOO_OLD,
                    path
                            + " has format "
                            + version
                            + ", this Cairn needs "
                            + FORMAT_VERSION
                            + "; start the earlier version and move its data");
        }
        if (bytes.getInt(12) != checksum(bytes)) {
            throw new TargetException(
                    Reason.CORRUPT,
                    path
                            + " does not match its checksum; put it back from a backup, or replace"
                            + " the target");
        }
        return new TargetFormat(bytes.getLong(16), bytes.getLong(24));
    }

    /** Writes the file, durably. */
    public void write(Disk disk, TargetPaths paths) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES);
        bytes.putLong(MAGIC).putInt(FORMAT_VERSION).putInt(0);
        bytes.putLong(identity).putLong(clusterId);
        bytes.putInt(12, checksum(bytes));
        disk.delete(paths.newFormat());
        try (DiskFile file = disk.openOrCreate(paths.newFormat())) {
            file.write(bytes.clear(), 0);
            file.force(true);
        }
        disk.rename(paths.newFormat(), paths.format());
        disk.forceDirectory(paths.root());
    }

    private static int checksum(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.slice(16, BYTES - 16));
        return (int) crc.getValue();
    }
}
