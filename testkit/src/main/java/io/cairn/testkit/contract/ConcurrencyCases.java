package io.cairn.testkit.contract;

import static io.cairn.testkit.posix.Posix.O_APPEND;
import static io.cairn.testkit.posix.Posix.O_CREAT;
import static io.cairn.testkit.posix.Posix.O_EXCL;
import static io.cairn.testkit.posix.Posix.O_RDONLY;
import static io.cairn.testkit.posix.Posix.O_RDWR;
import static io.cairn.testkit.posix.Posix.O_WRONLY;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.testkit.posix.Posix;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Several processes at once: what must be atomic is. */
final class ConcurrencyCases extends Scene {
    private static final int PROCESSES = 4;
    private static final long WAIT_S = 50;

    ConcurrencyCases(Posix fs) {
        super(fs);
    }

    /** The work of a process; returns how often it won. */
    private interface Work {
        int run(Posix process, int number);
    }

    /** Runs the work in several processes and sums up. */
    private int together(Work work) throws Exception {
        int sum = 0;
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Future<Integer>> results = new ArrayList<>();
            for (int i = 0; i < PROCESSES; i++) {
                int number = i;
                results.add(
                        threads.submit(
                                () -> {
                                    try (Posix process = fs.process(".")) {
                                        return work.run(process, number);
                                    }
                                }));
            }
            for (Future<Integer> result : results) {
                sum += result.get(WAIT_S, TimeUnit.SECONDS);
            }
        }
        return sum;
    }

    /** 1 if the action succeeds, 0 if it fails with the error expected of losers. */
    private static int wins(Errno loss, Runnable action) {
        try {
            action.run();
            return 1;
        } catch (FsException e) {
            assertEquals(loss, e.errno());
            return 0;
        }
    }

    @Case
    void exclusiveCreationHasOneWinner() throws Exception {
        int rounds = 30;
        int won =
                together(
                        (process, number) -> {
                            int wins = 0;
                            for (int i = 0; i < rounds; i++) {
                                String name = "f" + i;
                                int flags = O_CREAT | O_EXCL | O_WRONLY;
                                wins +=
                                        wins(
                                                Errno.EEXIST,
                                                () ->
                                                        process.close(
                                                                process.open(name, flags, 0644)));
                            }
                            return wins;
                        });
        assertEquals(rounds, won);
    }

    @Case
    void mkdirHasOneWinner() throws Exception {
        int rounds = 30;
        int won =
                together(
                        (process, number) -> {
                            int wins = 0;
                            for (int i = 0; i < rounds; i++) {
                                String name = "d" + i;
                                wins += wins(Errno.EEXIST, () -> process.mkdir(name, 0755));
                            }
                            return wins;
                        });
        assertEquals(rounds, won);
        assertEquals(2 + rounds, fs.stat(".").nlink());
    }

    @Case
    void linkHasOneWinner() throws Exception {
        int rounds = 30;
        fs.create("f", 0644);
        int won =
                together(
                        (process, number) -> {
                            process.create("mine" + number, 0644);
                            int wins = 0;
                            for (int i = 0; i < rounds; i++) {
                                String name = "l" + i;
                                wins +=
                                        wins(
                                                Errno.EEXIST,
                                                () -> process.link("mine" + number, name));
                            }
                            return wins;
                        });
        assertEquals(rounds, won);
    }

    @Case
    void unlinkHasOneWinner() throws Exception {
        int rounds = 30;
        for (int i = 0; i < rounds; i++) {
            fs.create("f" + i, 0644);
        }
        int won =
                together(
                        (process, number) -> {
                            int wins = 0;
                            for (int i = 0; i < rounds; i++) {
                                String name = "f" + i;
                                wins += wins(Errno.ENOENT, () -> process.unlink(name));
                            }
                            return wins;
                        });
        assertEquals(rounds, won);
        assertEquals(List.of(), fs.list("."));
    }

    @Case
    void renameOfOneNameHasOneWinner() throws Exception {
        int rounds = 30;
        for (int i = 0; i < rounds; i++) {
            fs.create("f" + i, 0644);
        }
        int won =
                together(
                        (process, number) -> {
                            int wins = 0;
                            for (int i = 0; i < rounds; i++) {
                                String from = "f" + i;
                                String to = "g" + i + "-" + number;
                                wins += wins(Errno.ENOENT, () -> process.rename(from, to, 0));
                            }
                            return wins;
                        });
        assertEquals(rounds, won);
        assertEquals(rounds, fs.list(".").size());
    }

    @Case(needs = Posix.Capability.ATOMIC_APPEND)
    void appendedRecordsAreNeitherLostNorTorn() throws Exception {
        int records = 50;
        together(
                (process, number) -> {
                    int fd = process.open("log", O_CREAT | O_WRONLY | O_APPEND, 0644);
                    String record = repeat((char) ('A' + number), 99) + "\n";
                    for (int i = 0; i < records; i++) {
                        assertEquals(100, process.write(fd, bytes(record)));
                    }
                    return 0;
                });
        String log = get("log");
        assertEquals(PROCESSES * records * 100, log.length());
        for (String line : log.split("\n", 0)) {
            assertEquals(repeat(line.charAt(0), 99), line);
        }
    }

    @Case(needs = Posix.Capability.ATOMIC_REPLACE)
    void replacingRenameIsNeverSeenHalfDone() throws Exception {
        put("file", "version");
        together(
                (process, number) -> {
                    for (int i = 0; i < 30; i++) {
                        if (number % 2 == 0) {
                            String own = "tmp" + number;
                            int fd = process.open(own, O_CREAT | O_WRONLY, 0644);
                            process.write(fd, bytes("version"));
                            process.close(fd);
                            process.rename(own, "file", 0);
                        } else {
                            int fd = process.open("file", O_RDONLY, 0);
                            assertEquals("version", text(process.read(fd, 100)));
                            process.close(fd);
                        }
                    }
                    return 0;
                });
        assertEquals(List.of("file"), fs.list("."));
    }

    @Case
    void writersOfDifferentPlacesDoNotDisturbEachOther() throws Exception {
        int piece = 3000;
        int rounds = 8;
        fs.create("f", 0666);
        together(
                (process, number) -> {
                    int fd = process.open("f", O_RDWR, 0);
                    byte[] mine = bytes(repeat((char) ('a' + number), piece));
                    for (int i = 0; i < rounds; i++) {
                        process.pwrite(fd, mine, (long) (i * PROCESSES + number) * piece);
                    }
                    return 0;
                });
        String all = get("f");
        assertEquals(piece * rounds * PROCESSES, all.length());
        for (int i = 0; i < rounds * PROCESSES; i++) {
            String expected = repeat((char) ('a' + i % PROCESSES), piece);
            assertEquals(expected, all.substring(i * piece, (i + 1) * piece));
        }
    }

    @Case
    void manyProcessesFillAndEmptyADirectory() throws Exception {
        together(
                (process, number) -> {
                    for (int i = 0; i < 40; i++) {
                        process.create(number + "-" + i, 0644);
                    }
                    for (int i = 0; i < 40; i += 2) {
                        process.unlink(number + "-" + i);
                    }
                    return 0;
                });
        assertEquals(PROCESSES * 20, fs.list(".").size());
    }

    @Case
    void crossingDirectoryRenamesKeepATree() throws Exception {
        fs.mkdir("a", 0755);
        fs.mkdir("b", 0755);
        together(
                (process, number) -> {
                    for (int i = 0; i < 20; i++) {
                        String from = number % 2 == 0 ? "a" : "b";
                        String to = number % 2 == 0 ? "b/x" : "a/x";
                        tryRename(process, from, to);
                        tryRename(process, to, from);
                    }
                    return 0;
                });
        int directories = 0;
        for (String name : fs.list(".")) {
            directories += 1 + fs.list(name).size();
        }
        assertTrue(directories <= 2 && directories >= 1, directories + " directories left");
        assertEquals(2 + fs.list(".").size(), fs.stat(".").nlink());
    }

    private static void tryRename(Posix process, String from, String to) {
        try {
            process.rename(from, to, 0);
        } catch (FsException e) {
            Errno errno = e.errno();
            assertTrue(
                    errno == Errno.ENOENT || errno == Errno.EINVAL || errno == Errno.ENOTEMPTY,
                    e.toString());
        }
    }
}
