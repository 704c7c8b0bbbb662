package io.cairn.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.runtime.file.Durable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DurableTest {
    private static final int WRITERS = 4;

    @TempDir private Path directory;

    private List<String> names() throws IOException {
        try (var entries = Files.list(directory)) {
            return entries.map(each -> String.valueOf(each.getFileName())).sorted().toList();
        }
    }

    /** As mounts with one directory of certificates do. */
    @Test
    void ofSeveralWritersAtOnceEachWritesAWholeFile() throws Exception {
        Path file = directory.resolve("identity.pem");
        try (ExecutorService threads = Executors.newFixedThreadPool(WRITERS)) {
            List<Future<?>> writers = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                byte[] own = new byte[300_000];
                Arrays.fill(own, (byte) ('a' + i));
                writers.add(
                        threads.submit(
                                () -> {
                                    for (int round = 0; round < 20; round++) {
                                        Durable.replace(file, own);
                                        byte[] read = Files.readAllBytes(file);
                                        byte[] whole = new byte[own.length];
                                        Arrays.fill(whole, read[0]);
                                        assertArrayEquals(whole, read);
                                    }
                                    return null;
                                }));
            }
            for (Future<?> each : writers) {
                assertEquals(null, each.get());
            }
        }
        assertEquals(List.of("identity.pem"), names());
        assertEquals(
                "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    }

    @Test
    void whatACrashHasLeftIsDeletedAndWhatOthersWriteIsNot() throws IOException {
        Path left = Files.createFile(directory.resolve("f.1.new"));
        Files.setLastModifiedTime(left, FileTime.fromMillis(1_000));
        Files.createFile(directory.resolve("f.2.new"));
        Path other = Files.createFile(directory.resolve("g.1.new"));
        Files.setLastModifiedTime(other, FileTime.fromMillis(1_000));
        Durable.replace(directory.resolve("f"), new byte[3]);
        assertEquals(List.of("f", "f.2.new", "g.1.new"), names());
    }

    @Test
    void whatCannotBeDeletedKeepsNobodyFromWriting() throws IOException {
        Path left = Files.createDirectory(directory.resolve("f.1.new"));
        Files.createFile(left.resolve("in it"));
        Files.setLastModifiedTime(left, FileTime.fromMillis(1_000));
        Path file = directory.resolve("f");
        Durable.replace(file, new byte[] {1, 2, 3});
        assertArrayEquals(new byte[] {1, 2, 3}, Files.readAllBytes(file));
        assertEquals(List.of("f", "f.1.new"), names());
    }
}
