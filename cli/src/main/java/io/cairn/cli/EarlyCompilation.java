package io.cairn.cli;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

/**
 * What the JVM compiles when it starts, because the rehearsal has shown that it is needed. Who says
 * that he is ready before that is done is slow for his first second, and what he is asked for then
 * is done twice as dearly.
 */
final class EarlyCompilation {
    private static final long LONGEST_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long LOOK_MS = 15;
    private static final int QUIET_LOOKS = 3;

    private EarlyCompilation() {}

    /** Waits until nothing more is compiled, but not longer than a second. */
    static void await() throws InterruptedException {
        CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
        if (compiler == null || !compiler.isCompilationTimeMonitoringSupported()) {
            return;
        }
        long beganNs = System.nanoTime();
        long lastMs = -1;
        int quiet = 0;
        while (quiet < QUIET_LOOKS && System.nanoTime() - beganNs < LONGEST_NS) {
            long totalMs = compiler.getTotalCompilationTime();
            quiet = totalMs == lastMs ? quiet + 1 : 0;
            lastMs = totalMs;
            TimeUnit.MILLISECONDS.sleep(LOOK_MS);
        }
    }
}
