package io.cairn.cli.verify;

import io.cairn.cli.option.Require;
import io.cairn.fuse.loop.MountOptions;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import io.cairn.node.Program;
import io.cairn.node.log.LogLevels;
import io.cairn.runtime.Clock;
import io.cairn.verify.Report;
import io.cairn.verify.ReportPage;
import io.cairn.verify.Verifier;
import io.cairn.verify.VerifySettings;
import io.cairn.verify.fault.FaultKind;
import io.cairn.verify.fault.FaultKind.Need;
import io.cairn.verify.process.ClusterPlan;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.jr.ob.JSON;

/** {@code cairn verify}: breaks a cluster of its own and looks whether the promises hold. */
@Command(
        name = "verify",
        description = {
            "Start a cluster of real processes on this machine, work on it, break it again and"
                    + " again, and compare what it holds with what it acknowledged.",
            "Ends with 0 when no promise was broken."
        },
        footer = {
            "  cairn verify --seconds 600",
            "  sudo cairn verify --netns --seconds 3600 --report report.html",
            "  cairn verify --seed 7 --faults kill-leader,kill-chunk-server"
        })
public final class VerifyCommand implements Callable<Integer> {
    private static final long LEAST_BYTES = 3L << 30;
    private static final int MASTERS = 3;
    private static final int REPLICAS = 3;

    @Spec private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "120",
            description =
                    "How long faults are injected (default: ${DEFAULT-VALUE}); each class happens"
                            + " at least once.")
    private int seconds;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "The seed of all choices (default: another one each time).")
    private @Nullable Long seed;

    @Option(
            names = "--faults",
            paramLabel = "FAULT[,...]",
            description = "The classes of faults, in turn (default: all that this user may).")
    private @Nullable String faults;

    @Option(
            names = "--netns",
            description =
                    "Give each process a network of its own, for faults of the network. Needs"
                            + " root.")
    private boolean namespaces;

    @Option(
            names = "--chunk-servers",
            paramLabel = "N",
            defaultValue = "4",
            description = "How many (default: ${DEFAULT-VALUE}); three copies of each chunk.")
    private int chunkServers;

    @Option(
            names = "--mounts",
            paramLabel = "N",
            defaultValue = "3",
            description = "How many, beside one NFS gateway (default: ${DEFAULT-VALUE}).")
    private int mounts;

    @Option(
            names = "--mount-options",
            paramLabel = "OPTION[,...]",
            defaultValue = "",
            description = "Options of every mount, as for cairn mount -o (default: none).")
    private String mountOptions = "";

    @Option(
            names = "--report",
            paramLabel = "FILE",
            description = "Write the report as a page of HTML, too.")
    private @Nullable Path page;

    @Option(names = "--json", description = "Print the report as a JSON object.")
    private boolean json;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "An empty directory for the cluster (default: a temporary one).")
    private @Nullable Path data;

    @Option(names = "--keep", description = "Keep logs and data even when nothing was found.")
    private boolean keep;

    @Override
    public Integer call() throws Exception {
        LogLevels.showWarningsOnly();
        Require.between("--seconds", seconds, 1, 7 * 86_400);
        Require.between("--chunk-servers", chunkServers, 3, 5);
        Require.between("--mounts", mounts, 1, 8);
        checkMountOptions();
        if (namespaces && !Isolation.isInside()) {
            return isolated();
        }
        Path directory = directory();
        Report report;
        try {
            report = run(directory, new Abilities(directory, namespaces));
        } catch (CommandException e) {
            if (data == null) {
                remove(directory);
            }
            throw e;
        }
        if (page != null) {
            Files.writeString(page, ReportPage.of(report));
        }
        if (json) {
            System.out.println(JSON.std.asString(report.document()));
        } else {
            report.lines().forEach(System.out::println);
        }
        boolean isWell = report.violationCount() == 0;
        if (isWell && !keep) {
            remove(directory);
        } else {
            System.err.println("logs and data: " + directory);
        }
        return isWell ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private void checkMountOptions() {
        try {
            MountOptions.parse(mountOptions);
        } catch (IllegalArgumentException e) {
            throw new CommandException(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
        }
    }

    private int isolated() throws IOException, InterruptedException {
        if (!Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"))) {
            throw new CommandException(
                    ExitCode.NO_PERMISSION, "--netns makes network namespaces: run it as root");
        }
        return Isolation.runInside(spec.root().commandLine().getParseResult().originalArgs());
    }

    /** Where the cluster lives. */
    private Path directory() throws IOException {
        Path directory =
                data == null
                        ? Files.createTempDirectory("cairn-verify")
                        : Files.createDirectories(data.toAbsolutePath().normalize());
        if (directory.toString().chars().anyMatch(Character::isWhitespace)) {
            throw new CommandException(
                    ExitCode.USAGE, "--data " + directory + ": give a path without blanks");
        }
        try (Stream<Path> entries = Files.list(directory)) {
            if (entries.findAny().isPresent()) {
                throw new CommandException(
                        ExitCode.USAGE,
                        "--data " + directory + " is not empty: give an empty directory");
            }
        }
        long room = Files.getFileStore(directory).getUsableSpace();
        if (room < LEAST_BYTES) {
            throw new CommandException(
                    ExitCode.OS_ERROR,
                    "%s has %d MiB of room, and %d are needed: give another --data"
                            .formatted(directory, room >> 20, LEAST_BYTES >> 20));
        }
        return directory;
    }

    private Report run(Path directory, Abilities abilities) throws Exception {
        List<FaultKind> kinds = abilities.faults(faults);
        boolean ownDisks = kinds.stream().anyMatch(each -> each.need() == Need.DISKS);
        boolean fuse = abilities.canMount();
        long chosen = seed != null ? seed : new Random().nextInt(1_000_000);
        ClusterPlan cluster =
                new ClusterPlan(
                        directory,
                        Isolation.member(),
                        MASTERS,
                        chunkServers,
                        REPLICAS,
                        fuse ? mounts : 0,
                        mountOptions,
                        fuse ? 1 : mounts + 1,
                        ownDisks);
        VerifySettings settings =
                new VerifySettings(
                        cluster,
                        seconds,
                        chosen,
                        kinds,
                        namespaces,
                        abilities.notes(),
                        repeat(chosen, kinds));
        PrintStream told = json ? System.err : System.out;
        try (Verifier verifier = new Verifier(settings, Clock.system(), told::println)) {
            Thread hook = new Thread(verifier::close, "end");
            Runtime.getRuntime().addShutdownHook(hook);
            Report report = verifier.run();
            Runtime.getRuntime().removeShutdownHook(hook);
            return report;
        }
    }

    /** What to type to do the same again. */
    private String repeat(long chosen, List<FaultKind> kinds) {
        return "%s verify --seconds %d --seed %d%s --chunk-servers %d --mounts %d%s --faults %s"
                .formatted(
                        Program.name(),
                        seconds,
                        chosen,
                        namespaces ? " --netns" : "",
                        chunkServers,
                        mounts,
                        mountOptions.isEmpty() ? "" : " --mount-options " + mountOptions,
                        FaultKind.words(kinds).replace(", ", ","));
    }

    private static void remove(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path each : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(each);
            }
        }
    }
}
