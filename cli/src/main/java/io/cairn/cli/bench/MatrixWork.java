package io.cairn.cli.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Streams and random access by record size and number of threads, a file for each thread, as IOzone
 * does it.
 */
final class MatrixWork implements Workload {
    private static final String GROUP = "a file for each thread";

    private final List<Integer> recordBytes;

    /** Such records. */
    MatrixWork(List<Integer> recordBytes) {
        this.recordBytes = List.copyOf(recordBytes);
    }

    /** What one thread does with its file. */
    private interface Access {
        long run(DataFile file, int thread, WorkPlace.Pace pace) throws IOException;
    }

    @Override
    public void run(WorkPlace place, Results results) throws IOException, InterruptedException {
        for (int record : recordBytes) {
            for (int threads : place.amount().threads()) {
                run(new Cell(place, results, record, threads));
            }
        }
    }

    private void run(Cell cell) throws IOException, InterruptedException {
        long all = cell.place.amount().fileBytes() / cell.threads;
        long each = Math.max(cell.record, all / cell.record * cell.record);
        long records = each / cell.record;
        Figure disk = cell.place.ceilings().diskWrite();
        Figure network = cell.place.ceilings().loopback();
        Access write = (file, thread, pace) -> file.write(0, each, pace);
        cell.measure("write", disk, write);
        cell.measure("rewrite", disk, write);
        cell.forget();
        cell.measure("read", network, (file, thread, pace) -> file.read(0, each, pace));
        cell.forget();
        cell.measure(
                "random read",
                network,
                (file, thread, pace) -> file.readAnywhere(thread, each, records, pace));
        cell.measure(
                "random write",
                disk,
                (file, thread, pace) -> file.writeAnywhere(thread, each, records, pace));
        cell.remove();
    }

    /** One size of records and one number of threads. */
    private record Cell(WorkPlace place, Results results, int record, int threads) {
        void measure(String name, Figure ceiling, Access access)
                throws IOException, InterruptedException {
            double perSecond =
                    place.perSecond(
                            threads,
                            (thread, pace) -> {
                                try (DataFile file = DataFile.open(path(thread), record)) {
                                    return access.run(file, thread, pace);
                                }
                            });
            String what = name + " " + size(record) + ", " + Results.threads(threads);
            results.bytes(GROUP, what, perSecond, ceiling);
        }

        void forget() {
            for (int i = 0; i < threads; i++) {
                DataFile.forget(path(i));
            }
        }

        void remove() throws IOException {
            for (int i = 0; i < threads; i++) {
                WorkPlace.remove(path(i));
            }
        }

        private Path path(int thread) {
            return place.mounted().resolve("matrix" + thread);
        }
    }

    /** A size as people write it: 4k, 2M. */
    static String size(int bytes) {
        return bytes >= 1 << 20 ? (bytes >> 20) + "M" : (bytes >> 10) + "k";
    }
}
