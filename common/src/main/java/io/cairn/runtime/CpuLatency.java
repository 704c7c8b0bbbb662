package io.cairn.runtime;

import io.cairn.os.SystemCalls;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.OptionalInt;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits how long a processor of this machine may take to wake up, while the threads of this
 * process are woken often: what they do for a small request takes less time than that. It is a
 * request of CPU latency quality of service to the kernel (Documentation/power/
 * pm_qos_interface.rst of Linux), which holds for all processors and costs power, so it is taken
 * back as soon as the process has little to do. Thread-safe.
 */
public final class CpuLatency implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CpuLatency.class);

    private static final Path DEVICE = Path.of("/dev/cpu_dma_latency");
    private static final Path IDLE_DRIVER =
            Path.of("/sys/devices/system/cpu/cpuidle/current_driver");

    /** How often it looks, in milliseconds. */
    static final int LOOK_MS = 50;

    /** That often threads go to sleep, in a second, when a process is busy; half of it: no more. */
    static final int BUSY = 1_000;

    private final Path device;
    private final int limitUs;
    private final LongSupplier sleeps;
    private final Clock clock;
    private final Scheduler scheduler;
    private long seen;
    private long seenNs;
    private boolean closed;
    private Scheduler.@Nullable Timer next;
    private @Nullable FileChannel held;

    CpuLatency(Path device, int limitUs, LongSupplier sleeps, Clock clock, Scheduler scheduler) {
        this.device = device;
        this.limitUs = limitUs;
        this.sleeps = sleeps;
        this.clock = clock;
        this.scheduler = scheduler;
        seen = sleeps.getAsLong();
        seenNs = clock.nanoTime();
        next = scheduler.schedule(this::look, LOOK_MS);
    }

    /**
     * Begins to look after this process. A process that may not open the device (root may) or has
     * none, as in a container, goes without: everything works, at the pace of the machine.
     *
     * @param limitUs microseconds, 0 or more; with 0 idle processors do not sleep at all
     */
    public static CpuLatency watch(int limitUs, Clock clock, Scheduler scheduler) {
        return new CpuLatency(
                DEVICE, limitUs, new SystemCalls()::voluntarySwitches, clock, scheduler);
    }

    /**
     * The limit where one is known to be worth its price: 0 in a virtual machine whose kernel can
     * wait for work without telling the host (cpuidle-haltpoll), as there the way to sleep and back
     * leads through the host.
     */
    public static OptionalInt suggestedUs() {
        try {
            boolean guest = Files.readString(IDLE_DRIVER).strip().equals("haltpoll");
            return guest ? OptionalInt.of(0) : OptionalInt.empty();
        } catch (IOException e) {
            return OptionalInt.empty();
        }
    }

    /** Whether the limit is in force. */
    public synchronized boolean isHeld() {
        return held != null;
    }

    private synchronized void look() {
        if (closed) {
            return;
        }
        long now = clock.nanoTime();
        long count = sleeps.getAsLong();
        long passedMs = Math.max(1, (now - seenNs) / 1_000_000);
        long perSecond = (count - seen) * 1_000 / passedMs;
        seen = count;
        seenNs = now;
        try {
            if (held == null && perSecond >= BUSY) {
                hold();
            } else if (held != null && perSecond < BUSY / 2) {
                release();
            }
        } catch (IOException e) {
            LOG.debug("{}: processors sleep as they like", device, e);
            return; // it would be the same the next time
        }
        next = scheduler.schedule(this::look, LOOK_MS);
    }

    private void hold() throws IOException {
        FileChannel request = FileChannel.open(device, StandardOpenOption.WRITE);
        held = request; // closed in any case
        ByteBuffer value = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.nativeOrder());
        request.write(value.putInt(limitUs).flip());
    }

    private void release() throws IOException {
        FileChannel request = held;
        held = null;
        if (request != null) {
            request.close(); // the kernel forgets the request
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (next != null) {
            next.cancel();
        }
        try {
            release();
        } catch (IOException e) {
            LOG.debug("{}", device, e);
        }
    }
}
