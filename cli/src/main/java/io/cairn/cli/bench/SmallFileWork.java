package io.cairn.cli.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/** Small files: made with their contents, and read again. */
final class SmallFileWork implements Workload {
    private static final String GROUP = "small files";

    private static final int[] SIZES = {4 << 10, 64 << 10};
    private static final long LEAST_FILES = 64;

    @Override
    public void run(WorkPlace place, Results results) throws IOException, InterruptedException {
        for (int size : SIZES) {
            for (int threads : place.amount().threads()) {
                long all = Math.max(LEAST_FILES, place.amount().files() * 4096L / size);
                run(place, results, size, threads, (int) Math.max(1, all / threads));
            }
        }
    }

    private void run(WorkPlace place, Results results, int size, int threads, int each)
            throws IOException, InterruptedException {
        byte[] contents = new byte[size];
        new Random(size).nextBytes(contents);
        for (int i = 0; i < threads; i++) {
            Files.createDirectory(directory(place, i));
        }
        String what = MatrixWork.size(size) + ", " + Results.threads(threads);
        results.times(
                GROUP,
                "write " + what,
                place.perSecond(
                        threads,
                        (thread, pace) -> {
                            for (int n = 0; n < each; n++) {
                                Files.write(directory(place, thread).resolve("s" + n), contents);
                            }
                            return each;
                        }),
                place.ceilings().request());
        for (int i = 0; i < threads; i++) {
            for (int n = 0; n < each; n++) {
                DataFile.forget(directory(place, i).resolve("s" + n));
            }
        }
        results.times(
                GROUP,
                "read " + what,
                place.perSecond(
                        threads,
                        (thread, pace) -> {
                            for (int n = 0; n < each; n++) {
                                Files.readAllBytes(directory(place, thread).resolve("s" + n));
                            }
                            return each;
                        }),
                place.ceilings().request());
        for (int i = 0; i < threads; i++) {
            WorkPlace.remove(directory(place, i));
        }
    }

    private static Path directory(WorkPlace place, int thread) {
        return place.mounted().resolve("small" + thread);
    }
}
