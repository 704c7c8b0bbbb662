package io.cairn.cli.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;

/**
 * Names without contents: directories and empty files are made, looked at, renamed and removed,
 * each thread in a directory of its own, as mdtest does it.
 */
final class NameWork implements Workload {
    private static final String GROUP = "names";

    /** What is done with one name. */
    private interface Act {
        void on(Path directory, int number) throws IOException;
    }

    @Override
    public void run(WorkPlace place, Results results) throws IOException, InterruptedException {
        for (int threads : place.amount().threads()) {
            for (int i = 0; i < threads; i++) {
                Files.createDirectory(directory(place, i));
            }
            Act create = (home, n) -> Files.createFile(home.resolve("f" + n));
            Act rename = (home, n) -> Files.move(home.resolve("f" + n), home.resolve("g" + n));
            Act unlink = (home, n) -> Files.deleteIfExists(home.resolve("g" + n));
            Act mkdir = (home, n) -> Files.createDirectory(home.resolve("d" + n));
            Act rmdir = (home, n) -> Files.deleteIfExists(home.resolve("d" + n));
            measure(place, results, threads, "create", create);
            measure(place, results, threads, "stat", NameWork::look);
            measure(place, results, threads, "rename", rename);
            measure(place, results, threads, "unlink", unlink);
            measure(place, results, threads, "mkdir", mkdir);
            measure(place, results, threads, "rmdir", rmdir);
            for (int i = 0; i < threads; i++) {
                WorkPlace.remove(directory(place, i));
            }
        }
    }

    private static void look(Path home, int number) throws IOException {
        Files.readAttributes(home.resolve("f" + number), PosixFileAttributes.class);
    }

    /** Every name is done, whatever the time: the next act needs them all. */
    private void measure(WorkPlace place, Results results, int threads, String name, Act act)
            throws IOException, InterruptedException {
        int each = Math.max(1, place.amount().files() / threads);
        double perSecond =
                place.perSecond(
                        threads,
                        (thread, pace) -> {
                            Path home = directory(place, thread);
                            for (int n = 0; n < each; n++) {
                                act.on(home, n);
                            }
                            return each;
                        });
        String what = name + ", " + Results.threads(threads);
        results.times(GROUP, what, perSecond, place.ceilings().request());
    }

    private static Path directory(WorkPlace place, int thread) {
        return place.mounted().resolve("names" + thread);
    }
}
