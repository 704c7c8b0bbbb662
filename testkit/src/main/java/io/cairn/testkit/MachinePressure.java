package io.cairn.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Whether work waits for processors or disks, as Linux counts it in {@code /proc/pressure}. A
 * kernel that does not count it tells by its load. Not thread-safe.
 */
final class MachinePressure {
    /** Of the time between two looks, in which some work waited. */
    private static final double MAX_SHARE = 0.5;

    /** Work per processor, on average of a minute. */
    private static final double MAX_LOAD = 1.5;

    private static final Pattern TOTAL = Pattern.compile("(?m)^some .*\\btotal=(\\d{1,18})$");
    private static final Pattern LOAD = Pattern.compile("^(\\d{1,6}\\.\\d{1,6}) ");

    private final Path proc;
    private final int processors;
    private long lookedNs;
    private OptionalLong processorUs;
    private OptionalLong diskUs;

    /**
     * Looks for the first time.
     *
     * @param proc where the kernel tells, {@code /proc}
     * @param nowNs monotonic time
     */
    MachinePressure(Path proc, int processors, long nowNs) {
        this.proc = proc;
        this.processors = processors;
        lookedNs = nowNs;
        processorUs = waitedUs("cpu");
        diskUs = waitedUs("io");
    }

    /**
     * Whether work has waited for most of the time since the last look; false where nothing tells
     * it.
     */
    boolean isShort(long nowNs) {
        OptionalLong processorBefore = processorUs;
        OptionalLong diskBefore = diskUs;
        processorUs = waitedUs("cpu");
        diskUs = waitedUs("io");
        double maxUs = MAX_SHARE * (double) TimeUnit.NANOSECONDS.toMicros(nowNs - lookedNs);
        lookedNs = nowNs;
        if (processorUs.isEmpty() && diskUs.isEmpty()) {
            return load() > MAX_LOAD * processors;
        }
        return grown(processorBefore, processorUs) > maxUs || grown(diskBefore, diskUs) > maxUs;
    }

    private static double grown(OptionalLong before, OptionalLong after) {
        return before.isEmpty() || after.isEmpty()
                ? 0
                : (double) (after.getAsLong() - before.getAsLong());
    }

    /** For how long some work has waited since the start of the machine. */
    private OptionalLong waitedUs(String resource) {
        Matcher total = TOTAL.matcher(text("pressure/" + resource));
        return total.find()
                ? OptionalLong.of(Long.parseLong(total.group(1)))
                : OptionalLong.empty();
    }

    private double load() {
        Matcher load = LOAD.matcher(text("loadavg"));
        return load.find() ? Double.parseDouble(load.group(1)) : 0;
    }

    private String text(String file) {
        try {
            return Files.readString(proc.resolve(file));
        } catch (IOException e) {
            // This kernel does not tell, or not to us.
            return "";
        }
    }
}
