package io.cairn.master.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.cairn.cluster.Declaration;
import io.cairn.cluster.Endpoint;
import io.cairn.testkit.ManualClock;
import io.cairn.wire.master.ClusterRequest.Heartbeat;
import io.cairn.wire.master.ClusterRequest.Holdings;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import io.cairn.wire.master.TargetLoad;
import io.cairn.wire.scrub.ScrubReport;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Rates of targets out of the counters in heartbeats. */
class LoadWatchTest {
    private static final long START_MS = 1_700_000_000_000L;

    private final ManualClock clock = new ManualClock(START_MS);
    private final LoadWatch watch = new LoadWatch(clock);

    /** A target that writes one MiB in 10 ms each second, and reads nothing. */
    private static TargetLoad after(long seconds) {
        return new TargetLoad(
                seconds * 1000,
                0,
                seconds << 20,
                0,
                seconds << 21,
                0,
                seconds,
                0,
                0,
                seconds * 10_000_000,
                0,
                0,
                -1);
    }

    private static TargetLoad failing(long countedMs, long errors, long errorAgoMs) {
        return new TargetLoad(countedMs, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, errors, errorAgoMs);
    }

    private void heard(String server, long incarnation, long identity, TargetLoad load) {
        TargetReport target =
                new TargetReport(
                        identity,
                        10,
                        5,
                        1,
                        true,
                        0,
                        "/disk",
                        load,
                        List.of(),
                        List.of(),
                        "",
                        ScrubReport.NONE,
                        Holdings.NONE,
                        0);
        watch.heard(
                new Heartbeat(
                        1,
                        server,
                        new Endpoint("127.0.0.1", 1),
                        incarnation,
                        1,
                        List.of(target),
                        1,
                        new long[0],
                        Declaration.NONE,
                        0));
    }

    private TargetActivity of(long identity) {
        return Objects.requireNonNull(watch.of(identity));
    }

    private LoadRates rates(long identity) {
        return Objects.requireNonNull(of(identity).rates());
    }

    @Test
    void oneHeartbeatGivesNoRate() {
        heard("c1", 7, 1, after(3600));
        assertNull(of(1).rates());
        assertNull(watch.sum());
        assertNull(watch.of(2), "a target that nobody has reported");
    }

    @Test
    void twoHeartbeatsGiveRatesAndMeans() {
        heard("c1", 7, 1, after(10));
        clock.advance(1000);
        heard("c1", 7, 1, after(11));
        assertEquals(1 << 20, rates(1).takenBytes());
        assertEquals(1 << 21, rates(1).writtenBytes());
        assertEquals(0, rates(1).servedBytes());
        assertEquals(1, rates(1).writes());
        assertEquals(10.0, rates(1).writeMs());
        assertNull(rates(1).readMs(), "nothing was read");
    }

    @Test
    void onlyTheLastSecondsCount() {
        TargetLoad busy = after(10);
        for (int second = 0; second <= 6; second++) {
            TargetLoad idle =
                    new TargetLoad(
                            10_000 + second * 1000L,
                            0,
                            busy.takenBytes(),
                            0,
                            0,
                            0,
                            0,
                            0,
                            0,
                            0,
                            0,
                            0,
                            -1);
            heard("c1", 7, 1, second == 0 ? after(9) : idle);
            clock.advance(1000);
        }
        assertEquals(0, rates(1).takenBytes());
    }

    @Test
    void heartbeatsInQuickSuccessionDoNotMakeTheRateJump() {
        heard("c1", 7, 1, after(10));
        heard("c1", 7, 1, after(11));
        TargetLoad last = after(11);
        for (int i = 1; i < 20; i++) {
            heard(
                    "c1",
                    7,
                    1,
                    new TargetLoad(
                            last.countedMs() + i,
                            0,
                            last.takenBytes() + (i << 20),
                            0,
                            0,
                            0,
                            0,
                            0,
                            0,
                            0,
                            0,
                            0,
                            -1));
        }
        assertEquals(1 << 20, rates(1).takenBytes());
    }

    @Test
    void aProcessThatWasStartedAnewHasNoRateUntilItsSecondHeartbeat() {
        heard("c1", 7, 1, after(10));
        heard("c1", 7, 1, after(11));
        assertNotNull(of(1).rates());
        heard("c1", 8, 1, after(20));
        assertNull(of(1).rates(), "whatever the counters are");
        heard("c1", 8, 1, after(21));
        assertEquals(1 << 20, rates(1).takenBytes());
        heard("c1", 8, 1, after(1));
        assertNull(of(1).rates(), "counters that go backwards");
    }

    @Test
    void aFreshLeaderKnowsNoRates() {
        heard("c1", 7, 1, after(10));
        heard("c1", 7, 1, after(11));
        watch.clear();
        assertNull(watch.of(1));
        assertNull(watch.sum());
        heard("c1", 7, 1, after(12));
        assertNull(watch.sum(), "absent, not zero and not since the start");
        heard("c1", 7, 1, after(13));
        assertEquals(1 << 20, Objects.requireNonNull(watch.sum()).takenBytes());
    }

    @Test
    void theSumLeavesOutWhoIsSilent() {
        for (int second = 10; second <= 11; second++) {
            heard("c1", 7, 1, after(second));
            heard("c2", 9, 2, after(second));
        }
        assertEquals(2 << 20, Objects.requireNonNull(watch.sum()).takenBytes());
        clock.advance(LoadWatch.WINDOW_MS + 1);
        heard("c1", 7, 1, after(12));
        assertEquals(1 << 20, Objects.requireNonNull(watch.sum()).takenBytes());
        assertNull(of(2).rates());
    }

    @Test
    void aTargetThatIsReportedNoMoreIsForgotten() {
        heard("c1", 7, 1, after(10));
        heard("c1", 7, 2, after(11));
        assertNull(watch.of(1));
        assertNotNull(watch.of(2));
    }

    /** One read and one sync in 100 ms. */
    private static TargetLoad syncing(long seconds, long syncMs) {
        long count = seconds * 10;
        long syncNs = count * syncMs * 1_000_000;
        return new TargetLoad(
                seconds * 1000, 0, 0, 0, 0, count, 0, count, count * 4_000_000, 0, syncNs, 0, -1);
    }

    @Test
    void aSlowTargetThatIsReportedNoMoreIsForgotten() {
        for (int seconds = 0; seconds <= 60; seconds += 5) {
            heard("c1", 7, 1, syncing(seconds, 9));
            heard("c2", 7, 2, syncing(seconds, 9));
            heard("c3", 7, 3, syncing(seconds, 9));
            heard("c4", 7, 4, syncing(seconds, 200));
        }
        assertEquals(Set.of(4L), watch.slow().keySet());
        heard("c3", 7, 3, syncing(65, 9));
        assertEquals(Set.of(4L), watch.slow().keySet());
        heard("c4", 7, 5, syncing(65, 9));
        assertEquals(Set.of(), watch.slow().keySet());
    }

    @Test
    void errorsHaveATimeThatStandsStill() {
        heard("c1", 7, 1, failing(60_000, 3, 10_000));
        Instant since = Instant.ofEpochMilli(START_MS - 60_000);
        Instant last = Instant.ofEpochMilli(START_MS - 10_000);
        assertEquals(new TargetActivity(null, failing(60_000, 3, 10_000), since, last), of(1));
        clock.advance(1_100);
        heard("c1", 7, 1, failing(61_000, 3, 11_000));
        assertEquals(3, of(1).total().errors());
        assertEquals(since, of(1).since(), "heartbeats that were late");
        assertEquals(last, of(1).lastErrorAt());
        clock.advance(1_000);
        heard("c1", 7, 1, failing(62_000, 4, 500));
        assertEquals(4, of(1).total().errors());
        assertEquals(Instant.ofEpochMilli(clock.millis() - 500), of(1).lastErrorAt());
        heard("c1", 8, 1, failing(100, 0, -1));
        assertEquals(0, of(1).total().errors());
        assertNull(of(1).lastErrorAt());
    }
}
