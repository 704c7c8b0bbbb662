package io.cairn.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.chunk.ChunkSettings;
import io.cairn.cluster.Endpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a chunk server refuses before it asks a master; here there is none to ask. */
final class ChunkNodeTest {
    private static final String LOOPBACK = "127.0.0.1";

    @TempDir private Path directory;

    private final AtomicInteger asked = new AtomicInteger();

    /** Ends where a master would be asked. */
    private static final class Asking extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private <E extends Throwable> E open(Class<E> ends, Path... paths) {
        ChunkSettings settings =
                ChunkSettings.of(
                        "c1", new Endpoint(LOOPBACK, 0), List.of(new Endpoint(LOOPBACK, 1)));
        ChunkDirectories directories = new ChunkDirectories(List.of(paths), false);
        try (ProcessContext world = new ProcessContext()) {
            return assertThrows(
                    ends,
                    () ->
                            new ChunkNode(
                                    world,
                                    settings,
                                    directories,
                                    () -> {
                                        asked.incrementAndGet();
                                        throw new Asking();
                                    }));
        }
    }

    @Test
    void asksForAnEmptyDirectory() {
        open(Asking.class, directory.resolve("new"));
        assertEquals(1, asked.get());
    }

    @Test
    void refusesADirectoryOfOthersUnasked() throws IOException {
        Path foreign = Files.createDirectory(directory.resolve("foreign"));
        Files.writeString(foreign.resolve("thesis.tex"), "x");
        ChunkDirectories directories = new ChunkDirectories(List.of(foreign), false);
        CommandException early = assertThrows(CommandException.class, directories::check);
        assertEquals(ExitCode.CANNOT_CREATE, early.exitCode());
        CommandException refused = open(CommandException.class, directory.resolve("new"), foreign);
        assertEquals(ExitCode.CANNOT_CREATE, refused.exitCode());
        assertEquals(0, asked.get());
    }

    /** It is found when it is opened: the masters are asked about what is empty after that. */
    @Test
    void refusesADamagedTargetUnasked() throws IOException {
        Path damaged = Files.createDirectory(directory.resolve("damaged"));
        Files.writeString(damaged.resolve("FORMAT"), "x");
        CommandException refused = open(CommandException.class, directory.resolve("new"), damaged);
        assertEquals(ExitCode.DATA, refused.exitCode());
        assertTrue(String.valueOf(refused.getMessage()).contains("FORMAT"), refused.getMessage());
        assertEquals(0, asked.get());
    }
}
