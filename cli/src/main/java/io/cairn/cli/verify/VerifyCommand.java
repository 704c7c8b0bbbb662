package io.cairn.cli.verify;

import io.cairn.cli.option.Require;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import io.cairn.node.Program;
import io.cairn.node.log.LogLevels;
import io.cairn.runtime.Clock;
import io.cairn.verify.Report;
import io.cairn.verify.Verifier;
import io.cairn.verify.VerifySettings;
import io.cairn.verify.fault.FaultKind;
import io.cairn.verify.process.ClusterPlan;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

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
            "  cairn verify --seed 7 --faults kill-master,kill-chunk-server"
        })
public final class VerifyCommand implements Callable<Integer> {
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
            names = "--chunk-servers",
            paramLabel = "N",
            defaultValue = "4",
            description = "How many (default: ${DEFAULT-VALUE}); three copies of each chunk.")
    private int chunkServers;

    @Option(
            names = "--mounts",
            paramLabel = "N",
            defaultValue = "3",
            description = "How many (default: ${DEFAULT-VALUE}).")
    private int mounts;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Where the cluster lives (default: a temporary directory).")
    private @Nullable Path data;

    @Option(names = "--keep", description = "Keep logs and data, even without a violation.")
    private boolean keep;

    @Override
    public Integer call() throws Exception {
        LogLevels.showWarningsOnly();
        Require.between("--seconds", seconds, 1, 7 * 86_400);
        Require.between("--chunk-servers", chunkServers, 3, 5);
        Require.between("--mounts", mounts, 1, 8);
        List<FaultKind> kinds;
        try {
            kinds = faults == null ? List.of(FaultKind.values()) : FaultKind.parse(faults);
        } catch (IllegalArgumentException e) {
            throw new CommandException(ExitCode.USAGE, "--faults: " + e.getMessage());
        }
        long chosen = seed != null ? seed : new Random().nextInt(1_000_000);
        Path directory =
                data == null
                        ? Files.createTempDirectory("cairn-verify")
                        : Files.createDirectories(data.toAbsolutePath());
        VerifySettings settings =
                new VerifySettings(
                        new ClusterPlan(directory, java(), 3, chunkServers, 3, mounts, 0),
                        seconds,
                        chosen,
                        kinds,
                        "cairn verify --seed " + chosen);
        Report report;
        try (Verifier verifier = new Verifier(settings, Clock.system(), System.out::println)) {
            report = verifier.run();
        }
        report.lines().forEach(System.out::println);
        return report.violationCount() == 0 ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    /** What this process runs with, for processes that are many on one machine. */
    private static List<String> java() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of(
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-Xmx512m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:-UsePerfData",
                        "-XX:+ExitOnOutOfMemoryError"));
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(each -> each.startsWith("-XX:AOTCache=") || each.equals("-Xlog:disable"))
                .forEach(command::add);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Program.MAIN_CLASS));
        return command;
    }
}
