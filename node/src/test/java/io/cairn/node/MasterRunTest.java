package io.cairn.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.runtime.Clock;
import io.cairn.runtime.Disk;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** A master whose disk is full now and then; the master is only told of. */
final class MasterRunTest {
    private final IOException noRoom = new IOException("No space left on device");
    private static final Path DIRECTORY = Path.of("/m1");

    private final List<String> told = new ArrayList<>();
    private final List<MasterNode.Ends> ends = new ArrayList<>();
    private volatile long usableBytes = 1L << 30;

    private synchronized void tell(String what) {
        told.add(what);
    }

    private synchronized List<String> told() {
        return List.copyOf(told);
    }

    private void await(String... expected) throws InterruptedException {
        for (int i = 0; i < 6_000 && !told().equals(List.of(expected)); i++) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
        assertEquals(List.of(expected), told());
    }

    private synchronized MasterNode.Ends last() {
        return ends.getLast();
    }

    /** A disk of a gibibyte without a reserve. */
    private Disk disk() {
        return (Disk)
                Proxy.newProxyInstance(
                        Disk.class.getClassLoader(),
                        new Class<?>[] {Disk.class},
                        (_, method, _) ->
                                switch (method.getName()) {
                                    case "exists" -> false;
                                    case "usableBytes" -> usableBytes;
                                    case "totalBytes" -> 1L << 30;
                                    default -> throw new AssertionError(method);
                                });
    }

    /** A run whose openings are numbered; the hook is called while one is being opened. */
    private MasterRun run(Consumer<Integer> whileOpening) {
        return new MasterRun(
                "m1",
                DIRECTORY,
                own -> {
                    int number;
                    synchronized (this) {
                        ends.add(own);
                        number = ends.size();
                    }
                    tell("open " + number);
                    whileOpening.accept(number);
                    return new MasterRun.Member() {
                        @Override
                        public void announce() {
                            tell("announce " + number);
                        }

                        @Override
                        public void close() {
                            tell("close " + number);
                        }
                    };
                },
                new MasterRun.Environment(
                        disk(), Clock.system(), code -> tell("halt " + code), 10));
    }

    @Test
    void itGoesOnAfterAWriteWithoutRoomThoughThereIsRoomSince() throws Exception {
        try (MasterRun _ = run(_ -> {})) {
            last().failed().accept(new IllegalStateException("log entry 7", noRoom));
            await("open 1", "announce 1", "close 1", "open 2", "announce 2");
            last().failed().accept(new IOException("db: Disk quota exceeded"));
            await(
                    "open 1",
                    "announce 1",
                    "close 1",
                    "open 2",
                    "announce 2",
                    "close 2",
                    "open 3",
                    "announce 3");
        }
    }

    @Test
    void itWaitsForRoom() throws Exception {
        usableBytes = 100;
        try (MasterRun _ = run(_ -> {})) {
            last().failed().accept(null);
            await("open 1", "announce 1", "close 1");
            usableBytes = 1L << 30;
            await("open 1", "announce 1", "close 1", "open 2", "announce 2");
        }
    }

    @Test
    void oneThatFailsWhileItIsBeingOpenedIsClosedAfterThat() throws Exception {
        Consumer<Integer> failing =
                number -> {
                    if (number < 3) {
                        last().failed().accept(noRoom);
                    }
                };
        try (MasterRun _ = run(failing)) {
            await(
                    "open 1",
                    "announce 1",
                    "close 1",
                    "open 2",
                    "announce 2",
                    "close 2",
                    "open 3",
                    "announce 3");
        }
    }

    @Test
    void anOpeningThatFindsNoRoomIsTriedAgain() throws Exception {
        Consumer<Integer> failing =
                number -> {
                    if (number == 2) {
                        last().failed().accept(noRoom);
                        throw new CommandException(ExitCode.DATA, "db is not opened", noRoom);
                    }
                };
        try (MasterRun _ = run(failing)) {
            last().failed().accept(noRoom);
            await("open 1", "announce 1", "close 1", "open 2", "open 3", "announce 3");
        }
    }

    @Test
    void anotherFailureEndsTheProcess() throws Exception {
        try (MasterRun _ = run(_ -> {})) {
            last().failed().accept(new IOException("Input/output error"));
            last().failed().accept(null);
            String halt = "halt " + ExitCode.SOFTWARE;
            await("open 1", "announce 1", halt, halt);
        }
    }

    @Test
    void nothingIsOpenedAfterTheEnd() throws Exception {
        usableBytes = 100;
        MasterRun run = run(_ -> {});
        last().failed().accept(noRoom);
        await("open 1", "announce 1", "close 1");
        run.close();
        usableBytes = 1L << 30;
        TimeUnit.MILLISECONDS.sleep(100);
        assertEquals(List.of("open 1", "announce 1", "close 1"), told());
    }

    @Test
    void aFirstOpeningThatFailsIsLeftToTheCaller() {
        Consumer<Integer> failing =
                _ -> {
                    last().failed().accept(noRoom);
                    throw new CommandException(ExitCode.DATA, "db is not opened", noRoom);
                };
        assertThrows(CommandException.class, () -> run(failing));
        assertTrue(told().equals(List.of("open 1")), () -> told().toString());
    }
}
