package io.cairn.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.os.SystemCalls;
import io.cairn.testkit.simulated.SimulatedScheduler;
import io.cairn.testkit.simulated.Simulation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CpuLatencyTest {
    private static final int LIMIT_US = 3;
    private static final int SECOND_MS = 1_000;

    private final Simulation simulation = new Simulation(1);
    @TempDir private Path directory;
    private long sleeps;
    private long sinceNs = simulation.nanoTime();
    private int perSecond;

    private CpuLatency watch(Path device) {
        return new CpuLatency(
                device, LIMIT_US, this::sleeps, simulation, new SimulatedScheduler(simulation));
    }

    private Path device() throws IOException {
        return Files.createFile(directory.resolve("device"));
    }

    /** Lets a second pass in which threads go to sleep so often, evenly. */
    private void second(int times) {
        sleeps = sleeps();
        sinceNs = simulation.nanoTime();
        perSecond = times;
        simulation.run(SECOND_MS);
    }

    private long sleeps() {
        return sleeps + (simulation.nanoTime() - sinceNs) * perSecond / 1_000_000_000;
    }

    /** Whether this process has a file open. */
    private static boolean isOpen(Path file) throws IOException {
        try (DirectoryStream<Path> open = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path descriptor : open) {
                if (Files.isSymbolicLink(descriptor)
                        && Files.readSymbolicLink(descriptor).equals(file)) {
                    return true;
                }
            }
        }
        return false;
    }

    @Test
    void theLimitHoldsWhileThreadsAreWokenOften() throws Exception {
        Path device = device();
        try (CpuLatency latency = watch(device)) {
            second(CpuLatency.BUSY * 9 / 10);
            assertFalse(latency.isHeld());
            assertFalse(isOpen(device));
            second(CpuLatency.BUSY * 2);
            assertTrue(latency.isHeld());
            assertTrue(isOpen(device));
            ByteBuffer told = ByteBuffer.wrap(Files.readAllBytes(device));
            assertEquals(LIMIT_US, told.order(ByteOrder.nativeOrder()).getInt());
            assertFalse(told.hasRemaining());

            second(CpuLatency.BUSY * 7 / 10);
            assertTrue(latency.isHeld(), "it does not come and go at the threshold");
            second(CpuLatency.BUSY * 4 / 10);
            assertFalse(latency.isHeld());
            assertFalse(isOpen(device));
            second(CpuLatency.BUSY * 2);
            assertTrue(isOpen(device), "it comes back");
        }
        assertFalse(isOpen(device), "closed with it");
        second(CpuLatency.BUSY * 2);
        assertFalse(isOpen(device));
    }

    @Test
    void withoutTheDeviceItGivesUp() {
        try (CpuLatency latency = watch(directory.resolve("none"))) {
            second(CpuLatency.BUSY * 2);
            assertFalse(latency.isHeld());
            long events = simulation.stepCount();
            second(CpuLatency.BUSY * 2);
            assertEquals(events, simulation.stepCount(), "it still looks");
        }
    }

    @Test
    void theKernelCountsHowOftenThreadsSleep() throws Exception {
        SystemCalls calls = new SystemCalls();
        long before = calls.voluntarySwitches();
        int naps = 20;
        CountDownLatch never = new CountDownLatch(1);
        for (int i = 0; i < naps; i++) {
            assertFalse(never.await(1, TimeUnit.MILLISECONDS));
        }
        long counted = calls.voluntarySwitches() - before;
        assertTrue(counted >= naps, counted + " switches, the thread slept " + naps + " times");
    }
}
