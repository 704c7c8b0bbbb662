package io.cairn.cli.option;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import io.cairn.runtime.CpuLatency;
import io.cairn.system.CairnProcess;
import io.cairn.system.Poll;
import io.cairn.system.ProcessCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

final class CpuLatencyOptionTest {
    @TempDir private Path directory;

    private static CpuLatencyOption parsed(String... arguments) {
        CpuLatencyOption option = new CpuLatencyOption();
        CommandSpec spec = CommandSpec.create();
        spec.addMixin("latency", CommandSpec.forAnnotatedObject(option));
        new CommandLine(spec).parseArgs(arguments);
        return option;
    }

    private static void refused(String why, String value) {
        CpuLatencyOption option = parsed("--cpu-latency", value);
        CommandException error = assertThrows(CommandException.class, option::limitUs);
        assertEquals(ExitCode.USAGE, error.exitCode());
        assertTrue(String.valueOf(error.getMessage()).contains(why), error.getMessage());
    }

    @Test
    void valuesAreNumbersOrWords() {
        assertEquals(OptionalInt.empty(), parsed().limitUs(), "nobody asked for it");
        assertEquals(CpuLatency.suggestedUs(), parsed("--cpu-latency", "auto").limitUs());
        assertEquals(OptionalInt.empty(), parsed("--cpu-latency", "off").limitUs());
        assertEquals(OptionalInt.of(0), parsed("--cpu-latency", "0").limitUs());
        assertEquals(OptionalInt.of(100_000), parsed("--cpu-latency", "100000").limitUs());
        refused("it must be auto, off, or a number of microseconds", "fast");
        refused("it must be auto, off, or a number of microseconds", "2us");
        refused("it must lie in 0..100000", "100001");
        refused("it must lie in 0..100000", "-1");
    }

    @Test
    void theOptionGoesToAnotherProcess() {
        assertEquals(List.of(), parsed().arguments());
        List<String> given = List.of("--cpu-latency", "auto");
        assertEquals(given, parsed(given.toArray(String[]::new)).arguments());
    }

    /** A mount that works holds the device of the kernel, and one that rests does not. */
    @Test
    @Timeout(240)
    void aProcessAsksTheKernelOnlyWhileItIsBusy() throws Exception {
        Path mount = Files.createDirectories(directory.resolve("mnt"));
        List<String> up =
                List.of(
                        "up",
                        "--data",
                        directory.resolve("data").toString(),
                        "--mount",
                        mount.toString(),
                        "--admin",
                        "127.0.0.1:0",
                        "--listen",
                        "127.0.0.1:0",
                        "--cpu-latency",
                        "0");
        try (CairnProcess cluster = CairnProcess.start(directory.resolve("up.log"), up)) {
            cluster.await(CairnProcess.READY, 60);
            Poll.until("a request while it is busy", 100, () -> isHeldAtWork(cluster, mount));
            Poll.until("none when it rests", 30, () -> !isHeld(cluster));
        } finally {
            ProcessCluster.unmount(mount);
        }
    }

    /** Looks often: beside other work the process may be busy for short times only. */
    private static boolean isHeldAtWork(CairnProcess cluster, Path mount) throws IOException {
        for (int i = 0; i < 500; i++) {
            Files.delete(Files.createFile(mount.resolve("file")));
            if (i % 10 == 9 && isHeld(cluster)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isHeld(CairnProcess cluster) throws IOException {
        Path device = Path.of("/dev/cpu_dma_latency");
        Path descriptors = Path.of("/proc", String.valueOf(cluster.pid()), "fd");
        try (Stream<Path> open = Files.list(descriptors)) {
            return open.anyMatch(each -> leadsTo(each, device));
        }
    }

    private static boolean leadsTo(Path descriptor, Path file) {
        try {
            return Files.readSymbolicLink(descriptor).equals(file);
        } catch (IOException e) {
            return false; // closed meanwhile
        }
    }
}
