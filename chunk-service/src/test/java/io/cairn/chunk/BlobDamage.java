package io.cairn.chunk;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Stream;

/** What can be done to the file of a blob while no process looks after it. */
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

    private static final int CHUNK = 1 << ChunkCluster.CHUNK_LOG2;
    private static final int PAGE = 4096;

    /** The chunk that gets this damage: the others are in directories of their own. */
    public int index() {
        return this == DIRECTORY_DELETED ? 3 : 0;
    }

    /** The object that gets this damage. */
    public long oid() {
        return 0x100L + Arrays.asList(values()).indexOf(this);
    }

    /** Where the file of a chunk lies in a target. */
    static Path file(Path target, int group, long oid, long index) {
        Path slice = target.resolve("pg/" + group + "/" + String.format("%02x", oid & 0xff));
        String name = String.format("%016x", oid);
        return index == 0 ? slice.resolve(name + ".0") : slice.resolve(name + ".d/" + index);
    }

    /**
     * Does it.
     *
     * @param earlier the same target at an earlier time
     * @param other an intact chunk of the same group
     */
    public void strike(Path target, Path earlier, int group, long other) throws IOException {
        Path file = file(target, group, oid(), index());
        switch (this) {
            case FILE_DELETED -> Files.delete(file);
            case DIRECTORY_DELETED -> remove(Objects.requireNonNull(file.getParent()));
            case EARLIER_FILE_PUT_BACK -> copy(file(earlier, group, oid(), index()), file);
            case CUT_IN_HALF -> cut(file, Files.size(file) / 2);
            case EMPTIED -> cut(file, 0);
            case TRAILER_ZEROED -> fill(file, CHUNK, Files.size(file));
            case BIT_OF_DATA_FLIPPED -> flip(file, 5000);
            case BIT_OF_HEADERS_FLIPPED -> {
                flip(file, CHUNK + 64);
                flip(file, CHUNK + PAGE + 64);
            }
            case BIT_OF_NEWEST_HEADER_FLIPPED -> flip(file, CHUNK + newest(file) * PAGE + 70);
            case BIT_OF_TABLE_FLIPPED -> flip(file, CHUNK + 2 * PAGE + 5);
            case FILE_OF_ANOTHER_CHUNK -> copy(file(target, group, other, 0), file);
            case ALL_ZEROS -> fill(file, 0, Files.size(file));
        }
    }

    /** Removes a directory with everything in it. */
    static void remove(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path each : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(each);
            }
        }
    }

    /** Keeps the file that is to be put back later. */
    static void keepEarlier(Path target, Path earlier, int group) throws IOException {
        Path file = file(target, group, EARLIER_FILE_PUT_BACK.oid(), 0);
        Path there = file(earlier, group, EARLIER_FILE_PUT_BACK.oid(), 0);
        Files.createDirectories(Objects.requireNonNull(there.getParent()));
        copy(file, there);
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
    }

    private static void cut(Path path, long bytes) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.setLength(bytes);
        }
    }

    private static void fill(Path path, long from, long to) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            byte[] zeros = new byte[(int) (to - from)];
            file.seek(from);
            file.write(zeros);
        }
    }

    private static void flip(Path path, long at) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.seek(at);
            int old = file.read();
            file.seek(at);
            file.write(old ^ 4);
        }
    }

    /** The header page of the higher generation. */
    private static int newest(Path path) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
            byte[][] generations = new byte[2][8];
            for (int page = 0; page < 2; page++) {
                file.seek(CHUNK + page * PAGE + 48L);
                file.readFully(generations[page]);
            }
            return Arrays.compareUnsigned(generations[0], generations[1]) > 0 ? 0 : 1;
        }
    }
}
