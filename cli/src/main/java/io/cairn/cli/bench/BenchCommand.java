package io.cairn.cli.bench;

import io.cairn.cli.bench.WorkPlace.Amount;
import io.cairn.cli.option.ByteSize;
import io.cairn.cli.option.Require;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import io.cairn.node.log.LogLevels;
import io.cairn.runtime.Clock;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.jr.ob.JSON;

/** {@code cairn bench}: measures a mount, beside what the machine allows. */
@Command(
        name = "bench",
        description = {
            "Measure what a mount does in a second: streams, random access, one file shared by"
                    + " threads, names, small files, dd and cp.",
            "Disk, loopback and an empty request of the kernel are measured first; each figure"
                    + " stands beside the one that limits it. All files are made in a directory"
                    + " of their own, and removed."
        },
        footer = {
            "  cairn bench /mnt/cairn",
            "  cairn bench /mnt/cairn --quick --json > before.json",
            "  cairn bench /mnt/cairn --quick --compare before.json --html bench.html"
        })
public final class BenchCommand implements Callable<Integer> {
    private static final long DEFAULT_BYTES = 256L << 20;
    private static final long QUICK_BYTES = 16L << 20;
    private static final int DEFAULT_FILES = 4000;
    private static final int QUICK_FILES = 200;
    private static final long LIMIT_MS = 10_000;
    private static final long CEILING_MS = 2000;
    private static final long QUICK_CEILING_MS = 200;

    @Parameters(
            arity = "0..1",
            paramLabel = "PATH",
            description = "A directory of the mount (default: the working directory).")
    private @Nullable Path path;

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            description = "Bytes of each figure about contents (default: 256M, quick: 16M).")
    private @Nullable String size;

    @Option(
            names = "--files",
            paramLabel = "N",
            description = "Files of each figure about names (default: 4000, quick: 200).")
    private @Nullable Integer files;

    @Option(
            names = "--threads",
            paramLabel = "N",
            split = ",",
            description = "How many work at once, in turn (default: 1,4,16, quick: 1,4).")
    private List<Integer> threads = List.of();

    @Option(
            names = "--disk",
            paramLabel = "DIR",
            description =
                    "A directory of the disk to compare with (default: the one for temporary"
                            + " files).")
    private @Nullable Path disk;

    @Option(names = "--quick", description = "Less of everything: half a minute in all.")
    private boolean quick;

    @Option(names = "--json", description = "Print the figures as a JSON object.")
    private boolean json;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "Write the figures as a page with bars, too.")
    private @Nullable Path html;

    @Option(
            names = "--compare",
            paramLabel = "FILE",
            description = "Show the figures beside those of an earlier run, printed with --json.")
    private @Nullable Path compare;

    @Override
    public Integer call() throws Exception {
        LogLevels.showWarningsOnly();
        Amount amount = amount();
        Map<String, Double> before = compare == null ? Map.of() : earlier(compare);
        Path base = (path == null ? Path.of("") : path).toAbsolutePath().normalize();
        if (!Files.isDirectory(base)) {
            throw new CommandException(ExitCode.USAGE, base + " is not a directory");
        }
        Clock clock = Clock.system();
        Path mounted = Files.createTempDirectory(base, "cairn-bench");
        Path local = null;
        try {
            local =
                    disk == null
                            ? Files.createTempDirectory("cairn-bench")
                            : Files.createTempDirectory(disk, "cairn-bench");
            // Whoever ends the command ends the work as well.
            Path there = local;
            Thread hook = new Thread(() -> removeBoth(mounted, there), "end");
            Runtime.getRuntime().addShutdownHook(hook);
            List<Figure> figures = measure(mounted, local, amount, before, clock);
            show(new BenchReport(base + ", " + clock.now(), figures, before));
            Runtime.getRuntime().removeShutdownHook(hook);
        } finally {
            WorkPlace.remove(mounted);
            if (local != null) {
                WorkPlace.remove(local);
            }
        }
        return ExitCode.OK;
    }

    private static void removeBoth(Path mounted, Path local) {
        try {
            WorkPlace.remove(mounted);
            WorkPlace.remove(local);
        } catch (IOException e) {
            System.err.println("not removed: " + mounted + ", " + local + ": " + e.getMessage());
        }
    }

    private static Map<String, Double> earlier(Path file) {
        try {
            return BenchReport.read(file);
        } catch (IOException e) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "--compare " + file + ": give the output of an earlier 'cairn bench --json'",
                    e);
        }
    }

    private Amount amount() {
        long bytes = size != null ? ByteSize.parse(size) : quick ? QUICK_BYTES : DEFAULT_BYTES;
        Require.between("--size", bytes, 4 << 20, 1L << 40);
        int count = files != null ? files : quick ? QUICK_FILES : DEFAULT_FILES;
        Require.between("--files", count, 1, 10_000_000);
        List<Integer> counts = new ArrayList<>(threads);
        if (counts.isEmpty()) {
            counts.addAll(quick ? List.of(1, 4) : List.of(1, 4, 16));
        }
        counts.forEach(each -> Require.between("--threads", each, 1, 256));
        return new Amount(bytes, count, LIMIT_MS, counts);
    }

    private List<Figure> measure(
            Path mounted, Path local, Amount amount, Map<String, Double> before, Clock clock)
            throws IOException, InterruptedException {
        PrintStream told = json ? System.err : System.out;
        BenchReport lines = new BenchReport("", List.of(), before);
        String[] group = {""};
        Results results =
                new Results(
                        figure -> {
                            if (!figure.group().equals(group[0])) {
                                group[0] = figure.group();
                                told.println(figure.group());
                            }
                            told.println(lines.line(figure));
                        });
        long ceilingMs = quick ? QUICK_CEILING_MS : CEILING_MS;
        Ceilings ceilings = Ceilings.measure(mounted, local, ceilingMs, clock, results);
        WorkPlace place = new WorkPlace(mounted, local, amount, ceilings, clock);
        List<Integer> records =
                quick ? List.of(4 << 10, 1 << 20) : List.of(4 << 10, 64 << 10, 512 << 10, 2 << 20);
        for (Workload each :
                List.of(
                        new MatrixWork(records),
                        new SharedFileWork(),
                        new NameWork(),
                        new SmallFileWork(),
                        new CopyWork())) {
            each.run(place, results);
        }
        return results.figures();
    }

    private void show(BenchReport report) throws IOException {
        if (html != null) {
            Files.writeString(html, report.page());
        }
        if (json) {
            System.out.println(JSON.std.asString(report.document()));
        }
    }
}
