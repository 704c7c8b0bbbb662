package io.cairn.master.store;

import io.cairn.master.store.FormatException.Fault;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * The file {@code FORMAT} in a master's directory: whose directory it is and in which format.
 *
 * <pre>
 * +----------+---------+-----------+-------+----------+-----------+--------+
 * |  magic   | version | clusterId | votes | idLength | master id | crc32c |
 * |    8     |    4    |     8     |   1   |    1     |  1..255   |   4    |
 * +----------+---------+-----------+-------+----------+-----------+--------+
 * </pre>
 *
 * Big-endian; the checksum covers all bytes before it. {@code clusterId} is 0 until the cluster is
 * founded. {@code votes} is 1 once this master has founded the cluster or has caught up with it:
 * one that lost its directory does not remember what it promised. Replaced as a whole by renaming.
 * Thread-safe.
 */
public final class FormatFile {
    /** Version of the directory layout and of all keys and values in the store. */
    public static final int VERSION = 1;

    private static final int OLDEST_VERSION = 1;
    private static final long MAGIC = 0x434149524e4d5354L; // "CAIRNMST"
    private static final String NAME = "FORMAT";
    private static final int FIXED_BYTES = 8 + 4 + 8 + 1 + 1 + 4;

    private final Path file;
    private final String masterId;
    private volatile long clusterId;
    private volatile boolean votes;

    private FormatFile(Path file, String masterId, long clusterId, boolean votes) {
        this.file = file;
        this.masterId = masterId;
        this.clusterId = clusterId;
        this.votes = votes;
    }

    /**
     * Reads the file of an existing directory, or writes it into an empty one.
     *
     * @param masterId 1..255 bytes in UTF-8
     * @throws FormatException when the directory is not this master's
     */
    public static FormatFile open(Path directory, String masterId) throws IOException {
        Path file = directory.resolve(NAME);
        byte[] bytes;
        try {
            bytes = Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            requireEmpty(directory);
            FormatFile created = new FormatFile(file, masterId, 0, false);
            created.write(0, false);
            return created;
        }
        FormatFile found = parse(file, bytes);
        if (!found.masterId.equals(masterId)) {
            throw new FormatException(
                    Fault.FOREIGN,
                    "%s belongs to master '%s', not to '%s'; give each master its own directory"
                            .formatted(file, found.masterId, masterId));
        }
        return found;
    }

    /** The cluster, or 0 when it is not founded yet. */
    public long clusterId() {
        return clusterId;
    }

    /** Whether this master has a vote, because it remembers what it promised. */
    public boolean votes() {
        return votes;
    }

    /** Writes durably whether this master has a vote. */
    public synchronized void setVotes(boolean next) throws IOException {
        if (votes != next) {
            write(clusterId, next);
            votes = next;
        }
    }

    /**
     * Writes the id of the cluster durably, once.
     *
     * @throws FormatException when the directory belongs to another cluster
     */
    public synchronized void adopt(long id) throws IOException {
        if (clusterId == id) {
            return;
        }
        if (clusterId != 0) {
            throw new FormatException(
                    Fault.FOREIGN,
                    "%s belongs to cluster %016x, not to %016x".formatted(file, clusterId, id));
        }
        write(id, votes);
        clusterId = id;
    }

    private static FormatFile parse(Path file, byte[] bytes) throws FormatException {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        if (bytes.length < FIXED_BYTES || in.getLong() != MAGIC) {
            throw corrupt(file, "it does not begin as one");
        }
        int version = in.getInt();
        if (version > VERSION) {
            throw new FormatException(
                    Fault.TOO_NEW,
                    "%s has format %d, this version reads up to %d; run a newer version"
                            .formatted(file, version, VERSION));
        }
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, bytes.length - 4);
        if ((int) crc.getValue() != in.getInt(bytes.length - 4)) {
            throw corrupt(file, "its checksum does not match");
        }
        if (version < OLDEST_VERSION) {
            throw new FormatException(
                    Fault.TOO_OLD,
                    "%s has format %d, this version reads from %d; upgrade in smaller steps"
                            .formatted(file, version, OLDEST_VERSION));
        }
        long clusterId = in.getLong();
        boolean votes = in.get() != 0;
        int idLength = in.get() & 0xff;
        if (bytes.length != FIXED_BYTES + idLength) {
            throw corrupt(file, "its length is wrong");
        }
        return new FormatFile(
                file,
                new String(bytes, in.position(), idLength, StandardCharsets.UTF_8),
                clusterId,
                votes);
    }

    private static FormatException corrupt(Path file, String why) {
        return new FormatException(
                Fault.CORRUPT,
                file + " is not a master's FORMAT file: " + why + "; restore it from a backup");
    }

    private static void requireEmpty(Path directory) throws IOException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                String name = entry.getFileName().toString();
                if (!name.equals(DirectoryLock.NAME) && !name.startsWith(NAME)) {
                    throw new FormatException(
                            Fault.FOREIGN,
                            "%s is not a master's directory: it has no FORMAT file but holds %s"
                                    .formatted(directory, name));
                }
            }
        }
    }

    private void write(long cluster, boolean voting) throws IOException {
        byte[] id = masterId.getBytes(StandardCharsets.UTF_8);
        if (id.length < 1 || id.length > 255) {
            throw new IllegalArgumentException("a master's id has 1 to 255 bytes: " + masterId);
        }
        ByteBuffer out = ByteBuffer.allocate(FIXED_BYTES + id.length);
        out.putLong(MAGIC).putInt(VERSION).putLong(cluster).put((byte) (voting ? 1 : 0));
        out.put((byte) id.length).put(id);
        CRC32C crc = new CRC32C();
        crc.update(out.array(), 0, out.position());
        out.putInt((int) crc.getValue());
        Durable.replace(file, out.array());
    }
}
