package io.cairn.cli.bench;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Several threads write and read pieces of one file in turn, 600 KiB each, as IOR does it: such
 * records begin and end in the middle of everything.
 */
final class SharedFileWork implements Workload {
    private static final String GROUP = "one file for all threads";

    private static final int RECORD = 600 * 1024;

    @Override
    public void run(WorkPlace place, Results results) throws IOException, InterruptedException {
        Path path = place.mounted().resolve("shared");
        for (int threads : place.amount().threads()) {
            long records = Math.max(threads, place.amount().fileBytes() / RECORD);
            String what = "600k, " + Results.threads(threads);
            results.bytes(
                    GROUP,
                    "write " + what,
                    each(place, threads, records, path, true),
                    place.ceilings().diskWrite());
            DataFile.forget(path);
            results.bytes(
                    GROUP,
                    "read " + what,
                    each(place, threads, records, path, false),
                    place.ceilings().loopback());
            WorkPlace.remove(path);
        }
    }

    private static double each(
            WorkPlace place, int threads, long records, Path path, boolean writes)
            throws IOException, InterruptedException {
        return place.perSecond(
                threads,
                (thread, pace) -> {
                    long done = 0;
                    try (DataFile file = DataFile.open(path, RECORD)) {
                        for (long i = thread; i < records && pace.goesOn(); i += threads) {
                            done += file.piece(i * RECORD, writes);
                        }
                        file.sync();
                    }
                    return done;
                });
    }
}
