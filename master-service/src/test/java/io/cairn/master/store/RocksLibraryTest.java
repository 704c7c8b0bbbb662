package io.cairn.master.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class RocksLibraryTest {
    @Test
    void theFileIsGoneAsSoonAsItIsLoaded() throws Exception {
        RocksLibrary.require();
        RocksLibrary.require();
        List<String> mappings =
                Files.readString(Path.of("/proc/self/maps"), StandardCharsets.UTF_8)
                        .lines()
                        .filter(line -> line.contains("librocksdb"))
                        .toList();
        assertFalse(mappings.isEmpty());
        List<String> left = mappings.stream().filter(line -> !line.endsWith("(deleted)")).toList();
        assertEquals(List.of(), left);
        try (var folders = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            String own = mappings.getFirst().replaceAll(".*/(cairn-rocksdb[^/]*)/.*", "$1");
            assertFalse(folders.anyMatch(folder -> folder.endsWith(own)), own);
        }
    }
}
