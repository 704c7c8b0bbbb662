package io.cairn.verify.fault;

import io.cairn.runtime.Disk;
import io.cairn.runtime.Disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Objects;

/**
 * Damage that people and disks do to the file of a blob while no process looks after it. The damage
 * is durable.
 */
public enum BlobDamage {
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
    ALL_ZEROS;

    private static final int PAGE = 4096;

    /** Where the contents of another file come from. */
    @FunctionalInterface
    public interface Source {
        /** All of it; the buffer is the caller's. */
        ByteBuffer read() throws IOException;
    }

    /**
     * The kind of damage.
     *
     * @param chunkBytes size of a chunk: where the trailer begins
     * @param dataByte offset of the byte of data that loses a bit
     * @param earlier what the file held before
     * @param other the file of another chunk
     */
    public record Means(int chunkBytes, int dataByte, Source earlier, Source other) {}

    /** Where the file of a chunk lies in a target. */
    public static Path file(Path target, int group, long oid, long index) {
        Path slice = target.resolve("pg/" + group + "/" + String.format("%02x", oid & 0xff));
        String name = String.format("%016x", oid);
        return index == 0 ? slice.resolve(name + ".0") : slice.resolve(name + ".d/" + index);
    }

    /** All of a file. */
    public static ByteBuffer contents(Disk disk, Path path) throws IOException {
        try (DiskFile file = disk.open(path)) {
            ByteBuffer all = ByteBuffer.allocate((int) file.size());
            file.readAll(all, 0);
            return all.flip();
        }
    }

    /** Does it to a file. */
    public void strike(Disk disk, Path path, Means means) throws IOException {
        int trailer = means.chunkBytes;
        switch (this) {
            case FILE_DELETED -> delete(disk, path);
            case DIRECTORY_DELETED -> {
                Path directory = parent(path);
                for (String name : disk.list(directory)) {
                    delete(disk, directory.resolve(name));
                }
                delete(disk, directory);
            }
            case EARLIER_FILE_PUT_BACK -> put(disk, path, means.earlier.read());
            case CUT_IN_HALF -> cut(disk, path, 2);
            case EMPTIED -> put(disk, path, ByteBuffer.allocate(0));
            case TRAILER_ZEROED -> zero(disk, path, trailer);
            case BIT_OF_DATA_FLIPPED -> flip(disk, path, means.dataByte);
            case BIT_OF_HEADERS_FLIPPED -> {
                flip(disk, path, trailer + 64);
                flip(disk, path, trailer + PAGE + 64);
            }
            case BIT_OF_NEWEST_HEADER_FLIPPED ->
                    flip(disk, path, trailer + newest(disk, path, trailer) * PAGE + 70);
            case BIT_OF_TABLE_FLIPPED -> flip(disk, path, trailer + 2 * PAGE + 5);
            case FILE_OF_ANOTHER_CHUNK -> put(disk, path, means.other.read());
            case ALL_ZEROS -> zero(disk, path, 0);
        }
    }

    private static Path parent(Path path) {
        return Objects.requireNonNull(path.getParent());
    }

    private static void delete(Disk disk, Path path) throws IOException {
        disk.delete(path);
        disk.forceDirectory(parent(path));
    }

    private static void put(Disk disk, Path path, ByteBuffer bytes) throws IOException {
        try (DiskFile file = disk.open(path)) {
            file.truncate(0);
            file.write(bytes, 0);
            file.force(true);
        }
    }

    private static void cut(Disk disk, Path path, int parts) throws IOException {
        try (DiskFile file = disk.open(path)) {
            file.truncate(file.size() / parts);
            file.force(true);
        }
    }

    private static void zero(Disk disk, Path path, int from) throws IOException {
        try (DiskFile file = disk.open(path)) {
            int length = (int) Math.max(0, file.size() - from);
            file.write(ByteBuffer.allocate(length), from);
            file.force(true);
        }
    }

    private static void flip(Disk disk, Path path, int at) throws IOException {
        try (DiskFile file = disk.open(path)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            if (file.read(one, at) == 1) {
                file.write(one.put(0, (byte) (one.get(0) ^ 4)).flip(), at);
                file.force(true);
            }
        }
    }

    /** The header page of the higher generation. */
    private static int newest(Disk disk, Path path, int trailer) throws IOException {
        ByteBuffer file = contents(disk, path);
        if (file.limit() < trailer + 2 * PAGE) {
            return 0;
        }
        long first = file.getLong(trailer + 48);
        long second = file.getLong(trailer + PAGE + 48);
        return Long.compareUnsigned(first, second) > 0 ? 0 : 1;
    }
}
