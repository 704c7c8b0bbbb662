package io.cairn.master.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rocksdb.Options;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileReader;

/** Looks at the tables of a store that cannot be opened. */
final class StoreTables {
    private StoreTables() {}

    /** The first table that is damaged; null when none is, or when they cannot be listed. */
    static @Nullable Path damagedIn(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            List<Path> tables =
                    files.filter(file -> file.toString().endsWith(".sst")).sorted().toList();
            for (Path table : tables) {
                if (isDamaged(table)) {
                    return table;
                }
            }
        } catch (IOException e) {
            // The failure that led here is told.
        }
        return null;
    }

    private static boolean isDamaged(Path table) {
        try (Options options = new Options();
                SstFileReader reader = new SstFileReader(options)) {
            reader.open(table.toString());
            reader.verifyChecksum();
            return false;
        } catch (RocksDBException e) {
            return true;
        }
    }
}
