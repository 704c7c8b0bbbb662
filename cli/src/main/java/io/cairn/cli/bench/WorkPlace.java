package io.cairn.cli.bench;

import io.cairn.runtime.Clock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/**
 * Two directories to work in, and how much. Thread-safe.
 *
 * @param mounted an empty directory of the mount
 * @param local an empty directory of a disk of this machine
 * @param amount how much is done for each figure
 * @param ceilings what the machine does without Cairn
 * @param clock tells how long it took
 */
record WorkPlace(Path mounted, Path local, Amount amount, Ceilings ceilings, Clock clock) {
    /**
     * How much is done for each figure.
     *
     * @param fileBytes bytes of a figure about bytes, all threads together
     * @param files files of a figure about names, all threads together
     * @param limitMs no figure takes much longer; it counts what was done until then
     * @param threads numbers of threads at once, each at least 1
     */
    record Amount(long fileBytes, int files, long limitMs, List<Integer> threads) {}

    /** Tells a thread when it has worked long enough. */
    interface Pace {
        /** Whether there is time for another operation. */
        boolean goesOn();
    }

    /** What one of several threads does. */
    interface Work {
        /** Works until it is done or {@code pace} ends it; how many units were done. */
        long run(int thread, Pace pace) throws IOException;
    }

    /** Lets so many threads work at once; units per second of all together. */
    double perSecond(int threads, Work work) throws IOException, InterruptedException {
        long done = 0;
        AtomicBoolean late = new AtomicBoolean();
        long beganNs = clock.nanoTime();
        long limitNs = amount.limitMs() * 1_000_000;
        Pace pace =
                () -> {
                    if (!late.get() && clock.nanoTime() - beganNs > limitNs) {
                        late.set(true);
                    }
                    return !late.get();
                };
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            List<Future<Long>> results = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int thread = i;
                results.add(pool.submit(() -> work.run(thread, pace)));
            }
            for (Future<Long> each : results) {
                done += each.get();
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException cause) {
                throw cause;
            }
            throw new IllegalStateException(e.getCause());
        }
        return done * 1e9 / Math.max(1, clock.nanoTime() - beganNs);
    }

    /** Removes a file or a tree; nothing happens when it is not there. */
    static void remove(Path top) throws IOException {
        try (Stream<Path> all = Files.walk(top)) {
            for (Path each : all.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.deleteIfExists(each);
            }
        } catch (NoSuchFileException e) {
            return;
        }
    }
}
