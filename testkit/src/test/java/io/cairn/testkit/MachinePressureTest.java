package io.cairn.testkit;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MachinePressureTest {
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

    @TempDir private Path proc;
    private long nowNs = -5;

    private void tell(String resource, long waitedUs) throws IOException {
        Files.createDirectories(proc.resolve("pressure"));
        Files.writeString(
                proc.resolve("pressure").resolve(resource),
                """
                some avg10=99.00 avg60=99.00 avg300=99.00 total=%d
                full avg10=99.00 avg60=99.00 avg300=99.00 total=28544333437
                """
                        .formatted(waitedUs));
    }

    private MachinePressure begin() {
        return new MachinePressure(proc, 2, nowNs);
    }

    private boolean isShortAfterASecond(MachinePressure pressure) {
        nowNs += SECOND_NS;
        return pressure.isShort(nowNs);
    }

    @Test
    void workThatWaitsForMostOfTheTimeIsSeenOnce() throws IOException {
        for (String resource : new String[] {"cpu", "io"}) {
            tell("cpu", 28_544_333_437L);
            tell("io", 1000);
            MachinePressure pressure = begin();
            assertFalse(isShortAfterASecond(pressure), "what was before does not count");
            long from = resource.equals("cpu") ? 28_544_333_437L : 1000;
            tell(resource, from + 400_000);
            assertFalse(isShortAfterASecond(pressure), "some waits always");
            tell(resource, from + 1_000_000);
            assertTrue(isShortAfterASecond(pressure), resource);
            assertFalse(isShortAfterASecond(pressure), "it is over");
        }
    }

    @Test
    void otherKernelsTellTheirLoad() throws IOException {
        assertFalse(isShortAfterASecond(begin()), "nobody tells");
        Files.writeString(proc.resolve("loadavg"), "2.90 9.00 9.00 8/459 6002\n");
        assertFalse(isShortAfterASecond(begin()));
        Files.writeString(proc.resolve("loadavg"), "7.31 4.43 8.40 8/459 6002\n");
        assertTrue(isShortAfterASecond(begin()));
    }
}
