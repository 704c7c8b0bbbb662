package io.cairn.simulation;

import io.cairn.runtime.Disk;
import io.cairn.runtime.Disk.DiskFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

/**
 * Does to the file of a blob, durably and while no process looks after it, what people and disks
 * do.
 */
final class BlobHarm {
    /** Ways of it. */
    enum Kind {
        FILE_DELETED,
        DIRECTORY_DELETED,
        EARLIER_FILE_PUT_BACK,
        CUT_IN_HALF,
        EMPTIED,
        TRAILER_ZEROED,
        BIT_OF_DATA_FLIPPED,
        BIT_OF_HEADERS_FLIPPED,
        BIT_OF_NEWEST_HEADER_FLIPPED,
        BIT_OF_TABLE_FLIPPED,
        FILE_OF_ANOTHER_CHUNK,
        ALL_ZEROS
    }

    private static final int CHUNK = 1 << SimulatedCluster.CHUNK_SIZE_LOG2;
    private static final int PAGE = 4096;

    private final Random random;

    /** Contents that files had, by server and path. */
    private final Map<String, ByteBuffer> earlier = new HashMap<>();

    BlobHarm(Random random) {
        this.random = random;
    }

    /** Where the file of a chunk lies. */
    static Path file(int group, long oid, long index) {
        Path slice = Path.of("/target/pg/" + group + "/" + String.format("%02x", oid & 0xff));
        String name = String.format("%016x", oid);
        return index == 0 ? slice.resolve(name + ".0") : slice.resolve(name + ".d/" + index);
    }

    /** Keeps what a file holds, to be put back later. */
    void remember(SimulatedServer server, Path path) {
        try {
            earlier.put(server.node() + path, contents(server.disk(), path));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Harms a file.
     *
     * @param other the file of another chunk
     */
    void strike(SimulatedServer server, Kind kind, Path path, Path other) {
        try {
            strikeFile(server, kind, path, other);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void strikeFile(SimulatedServer server, Kind kind, Path path, Path other)
            throws IOException {
        Disk disk = server.disk();
        ByteBuffer old = contents(disk, path);
        switch (kind) {
            case FILE_DELETED -> delete(disk, path);
            case DIRECTORY_DELETED -> {
                Path directory = parent(path);
                for (String name : disk.list(directory)) {
                    delete(disk, directory.resolve(name));
                }
                disk.delete(directory);
                disk.forceDirectory(parent(directory));
            }
            case EARLIER_FILE_PUT_BACK ->
                    write(disk, path, Objects.requireNonNull(earlier.get(server.node() + path)));
            case CUT_IN_HALF -> write(disk, path, old.limit(old.limit() / 2));
            case EMPTIED -> write(disk, path, old.limit(0));
            case TRAILER_ZEROED -> fill(disk, path, old, CHUNK);
            case BIT_OF_DATA_FLIPPED -> flip(disk, path, old, random.nextInt(PAGE));
            case BIT_OF_HEADERS_FLIPPED -> {
                flip(disk, path, old, CHUNK + 64);
                flip(disk, path, old, CHUNK + PAGE + 64);
            }
            case BIT_OF_NEWEST_HEADER_FLIPPED ->
                    flip(disk, path, old, CHUNK + newest(old) * PAGE + 70);
            case BIT_OF_TABLE_FLIPPED -> flip(disk, path, old, CHUNK + 2 * PAGE + 1);
            case FILE_OF_ANOTHER_CHUNK -> write(disk, path, contents(disk, other));
            case ALL_ZEROS -> fill(disk, path, old, 0);
        }
    }

    /** Whether an earlier file is known that is not what is there now. */
    boolean knowsEarlier(SimulatedServer server, Path path) {
        ByteBuffer former = earlier.get(server.node() + path);
        try {
            return former != null && !former.equals(contents(server.disk(), path));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path parent(Path path) {
        return Objects.requireNonNull(path.getParent());
    }

    private static ByteBuffer contents(Disk disk, Path path) throws IOException {
        try (DiskFile file = disk.open(path)) {
            ByteBuffer all = ByteBuffer.allocate((int) file.size());
            while (all.hasRemaining() && file.read(all, all.position()) >= 0) {}
            return all.flip();
        }
    }

    private static void write(Disk disk, Path path, ByteBuffer bytes) throws IOException {
        try (DiskFile file = disk.open(path)) {
            file.truncate(0);
            file.write(bytes.duplicate(), 0);
            file.force(true);
        }
    }

    private static void fill(Disk disk, Path path, ByteBuffer old, int from) throws IOException {
        for (int at = from; at < old.limit(); at++) {
            old.put(at, (byte) 0);
        }
        write(disk, path, old);
    }

    private static void flip(Disk disk, Path path, ByteBuffer old, int at) throws IOException {
        if (at < old.limit()) {
            old.put(at, (byte) (old.get(at) ^ 4));
            write(disk, path, old);
        }
    }

    /** The header page of the higher generation. */
    private static int newest(ByteBuffer file) {
        if (file.limit() < CHUNK + 2 * PAGE) {
            return 0;
        }
        return Long.compareUnsigned(file.getLong(CHUNK + 48), file.getLong(CHUNK + PAGE + 48)) > 0
                ? 0
                : 1;
    }

    private static void delete(Disk disk, Path path) throws IOException {
        disk.delete(path);
        disk.forceDirectory(parent(path));
    }
}
