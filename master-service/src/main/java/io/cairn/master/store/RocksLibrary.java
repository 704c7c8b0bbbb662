package io.cairn.master.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rocksdb.NativeLibraryLoader;
import org.rocksdb.RocksDB;

/**
 * Loads RocksDB's native code. Java can load it from a file only, and RocksDB deletes that file
 * when the process ends as it should: each one that is killed would leave 16 MB in the folder for
 * temporary files. Here it is deleted as soon as it is loaded; the mapping stays.
 */
final class RocksLibrary {
    /** Why it could not be loaded; null when it is. */
    private static final @Nullable String FAILURE = load();

    private RocksLibrary() {}

    /**
     * Loads it, if that was not tried before. Thread-safe.
     *
     * @throws IOException it cannot be unpacked or loaded; the message names the folder and the
     *     remedy
     */
    static void require() throws IOException {
        if (FAILURE != null) {
            throw new IOException(FAILURE);
        }
    }

    private static @Nullable String load() {
        Path parent = Path.of(System.getProperty("java.io.tmpdir"));
        try {
            Path directory = Files.createTempDirectory(parent, "cairn-rocksdb");
            try {
                NativeLibraryLoader.getInstance().loadLibrary(directory.toString());
                RocksDB.loadLibrary();
            } finally {
                delete(directory);
            }
            return null;
        } catch (IOException | RuntimeException | UnsatisfiedLinkError e) {
            return ("RocksDB's native code cannot be loaded from a file in %s: %s; the folder must"
                            + " be writable, without noexec and with 20 MB of space, or name"
                            + " another one: CAIRN_JAVA_OPTS=-Djava.io.tmpdir=DIR")
                    .formatted(parent, e);
        }
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(directory);
    }
}
