package io.cairn.master.store;

import io.cairn.master.store.FormatException.Fault;
import io.cairn.runtime.file.Durable;
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
 * +----------+---------+-----------+----------+-------+----------+-----------+--------+
 * |  magic   | version | clusterId | recovery | flags | idLength | master id | crc32c |
 * |    8     |    4    |     8     |    8     |   1   |    1     |  1..255   |   4    |
 * +----------+---------+-----------+----------+-------+----------+-----------+--------+
 * </pre>
 *
 * Big-endian; the checksum covers all bytes before it. {@code clusterId} is 0 until the cluster is
 * founded. Flag 1, the vote, is there once this master has founded the cluster or has caught up
 * with it: one that lost its directory does not remember what it promised. {@code recovery} is 0,
 * or the number of the last recovery by an operator, after which the directories of other masters
 * count no more; flag 2 tells that this master is to lead it. Flag 4 tells that the state here is
 * another one than that of most masters, so that nobody may use it. Replaced as a whole by
 * renaming. Thread-safe.
 */
public final class FormatFile {
    /** Version of the directory layout and of all keys and values in the store. */
    public static final int VERSION = 1;

    /** The identity of a master is there before its state. */
    private static final String IDENTITY = "tls";

    private static final int OLDEST_VERSION = 1;
    private static final long MAGIC = 0x434149524e4d5354L; // "CAIRNMST"
    private static final String NAME = "FORMAT";
    private static final int FIXED_BYTES = 8 + 4 + 8 + 8 + 1 + 1 + 4;

    private static final int VOTES = 1;
    private static final int RECOVERS = 2;
    private static final int DIFFERS = 4;

    private final Path file;
    private final String masterId;
    private volatile Contents contents;

    private record Contents(
            long clusterId, long recovery, boolean votes, boolean recovers, boolean differs) {}

    private FormatFile(Path file, String masterId, Contents contents) {
        this.file = file;
        this.masterId = masterId;
        this.contents = contents;
    }

    /** Reads the file of an existing directory, whichever master's it is. */
    public static FormatFile ofExisting(Path directory) throws IOException {
        Path file = directory.resolve(NAME);
        return parse(file, Files.readAllBytes(file));
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
            Contents empty = new Contents(0, 0, false, false, false);
            FormatFile created = new FormatFile(file, masterId, empty);
            created.write(empty);
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

    /** Whose directory it is. */
    public String masterId() {
        return masterId;
    }

    /** The cluster, or 0 when it is not founded yet. */
    public long clusterId() {
        return contents.clusterId;
    }

    /** Whether this master has a vote, because it remembers what it promised. */
    public boolean votes() {
        return contents.votes;
    }

    /** The number of the last recovery, 0 when there was none. */
    public long recovery() {
        return contents.recovery;
    }

    /** Whether this master is to lead that recovery. */
    public boolean recovers() {
        return contents.recovers;
    }

    /** Whether the state here was found to be another one than that of most masters. */
    public boolean differs() {
        return contents.differs;
    }

    /** Writes durably that the state here is another one than that of most masters. */
    public synchronized void setDiffers() throws IOException {
        Contents now = contents;
        write(new Contents(now.clusterId, now.recovery, now.votes, now.recovers, true));
    }

    /** Writes durably whether this master has a vote. */
    public synchronized void setVotes(boolean next) throws IOException {
        Contents now = contents;
        write(new Contents(now.clusterId, now.recovery, next, now.recovers, now.differs));
    }

    /** Writes durably that this master leads a recovery from now on, or no longer. */
    public synchronized void setRecovery(long recovery, boolean recovers) throws IOException {
        Contents now = contents;
        write(new Contents(now.clusterId, recovery, now.votes, recovers, now.differs));
    }

    /**
     * Writes the id of the cluster durably, once.
     *
     * @throws FormatException when the directory belongs to another cluster
     */
    public synchronized void adopt(long id) throws IOException {
        Contents now = contents;
        if (now.clusterId != 0 && now.clusterId != id) {
            throw new FormatException(
                    Fault.FOREIGN,
                    "%s belongs to cluster %016x, not to %016x".formatted(file, now.clusterId, id));
        }
        write(new Contents(id, now.recovery, now.votes, now.recovers, now.differs));
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
        long recovery = in.getLong();
        int flags = in.get();
        int idLength = in.get() & 0xff;
        if (bytes.length != FIXED_BYTES + idLength) {
            throw corrupt(file, "its length is wrong");
        }
        return new FormatFile(
                file,
                new String(bytes, in.position(), idLength, StandardCharsets.UTF_8),
                new Contents(
                        clusterId,
                        recovery,
                        (flags & VOTES) != 0,
                        (flags & RECOVERS) != 0,
                        (flags & DIFFERS) != 0));
    }

    private static FormatException corrupt(Path file, String why) {
        return new FormatException(
                Fault.CORRUPT,
                file
                        + " is not a master's FORMAT file: "
                        + why
                        + "; restore it, or empty the directory and have this master get everything"
                        + " from the others: cairn master --join");
    }

    private static void requireEmpty(Path directory) throws IOException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                String name = entry.getFileName().toString();
                boolean isHarmless = name.equals(DirectoryLock.NAME) || name.equals(IDENTITY);
                if (!isHarmless && !name.startsWith(NAME)) {
                    throw new FormatException(
                            Fault.FOREIGN,
                            "%s is not a master's directory: it has no FORMAT file but holds %s"
                                    .formatted(directory, name));
                }
            }
        }
    }

    private void write(Contents next) throws IOException {
        if (next.equals(contents) && Files.exists(file)) {
            return;
        }
        byte[] id = masterId.getBytes(StandardCharsets.UTF_8);
        if (id.length < 1 || id.length > 255) {
            throw new IllegalArgumentException("a master's id has 1 to 255 bytes: " + masterId);
        }
        ByteBuffer out = ByteBuffer.allocate(FIXED_BYTES + id.length);
        int flags =
                (next.votes ? VOTES : 0)
                        | (next.recovers ? RECOVERS : 0)
                        | (next.differs ? DIFFERS : 0);
        out.putLong(MAGIC).putInt(VERSION).putLong(next.clusterId).putLong(next.recovery);
        out.put((byte) flags);
        out.put((byte) id.length).put(id);
        CRC32C crc = new CRC32C();
        crc.update(out.array(), 0, out.position());
        out.putInt((int) crc.getValue());
        Durable.replace(file, out.array());
        contents = next;
    }
}
