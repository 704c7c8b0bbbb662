package io.cairn.admin.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.admin.api.EventLog;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Name;
import io.cairn.metadata.snapshot.SnapshotRecord;
import io.cairn.metadata.snapshot.SnapshotRecord.State;
import io.cairn.testkit.ManualClock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The snapshots of schedules, with a clock that a test moves. */
final class ScheduledSnapshotsTest {
    private static final long DIR = 17;
    private static final long HOUR_MS = TimeUnit.HOURS.toMillis(1);
    private static final long TICK_MS = 250;

    private final ManualClock clock =
            new ManualClock(Instant.parse("2026-11-28T18:07:09Z").toEpochMilli());
    private final EventLog events = new EventLog(clock);
    private final FakeCluster cluster = new FakeCluster();
    private ScheduledSnapshots taker = new ScheduledSnapshots(cluster, events, clock);

    /** A cluster in memory. */
    private final class FakeCluster implements ScheduledSnapshots.SnapshotCluster {
        final List<DirectorySchedule> schedules = new ArrayList<>();
        final List<SnapshotRecord> snapshots = new ArrayList<>();
        final List<String> taken = new ArrayList<>();
        final Set<Long> removed = new HashSet<>();
        @Nullable CompletableFuture<SnapshotRecord> answer;
        @Nullable Errno failure;
        @Nullable Errno dropFailure;
        int most = Integer.MAX_VALUE;
        private int number;
        private long changes;

        void set(long root, SnapshotCounts counts) {
            schedules.removeIf(each -> each.root() == root);
            schedules.add(new DirectorySchedule(root, "/d" + root, counts, 1));
            changes++;
        }

        @Override
        public long changes() {
            return changes;
        }

        @Override
        public List<DirectorySchedule> schedules() {
            return List.copyOf(schedules);
        }

        @Override
        public boolean isThere(long root) {
            return !removed.contains(root);
        }

        @Override
        public void forget(DirectorySchedule schedule) {
            schedules.remove(schedule);
        }

        @Override
        public List<SnapshotRecord> snapshots() {
            return List.copyOf(snapshots);
        }

        @Override
        public CompletableFuture<SnapshotRecord> take(long root, Name name) {
            taken.add(root + ":" + name);
            if (answer != null) {
                return answer;
            }
            if (failure != null) {
                return CompletableFuture.failedFuture(new FsException(failure, "no luck"));
            }
            boolean isThere =
                    snapshots.stream().anyMatch(s -> s.root() == root && s.name().equals(name));
            if (isThere) {
                return CompletableFuture.failedFuture(new FsException(Errno.EEXIST));
            }
            if (snapshots.size() >= most) {
                return CompletableFuture.failedFuture(new FsException(Errno.ENOSPC));
            }
            SnapshotRecord made =
                    new SnapshotRecord(
                            ++number, State.LIVE, root, name, clock.wallNs(), number, number, 0);
            snapshots.add(made);
            return CompletableFuture.completedFuture(made);
        }

        @Override
        public CompletableFuture<Void> drop(SnapshotRecord snapshot) {
            if (dropFailure != null) {
                return CompletableFuture.failedFuture(new FsException(dropFailure, "no luck"));
            }
            return snapshots.remove(snapshot)
                    ? CompletableFuture.completedFuture(null)
                    : CompletableFuture.failedFuture(new FsException(Errno.ENOENT));
        }

        List<String> names(long root) {
            return snapshots.stream()
                    .filter(each -> each.root() == root)
                    .map(each -> each.name().toString())
                    .toList();
        }
    }

    private void tick(int times) {
        for (int i = 0; i < times; i++) {
            taker.tick(1);
            clock.advance(TICK_MS);
        }
    }

    private void pass(long ms) {
        for (long until = clock.millis() + ms; clock.millis() < until; ) {
            clock.advance(Math.min(60_000, until - clock.millis()));
            tick(4);
        }
    }

    private List<String> told(String kind) {
        return events.after(0, 1000).stream()
                .filter(each -> each.kind().equals(kind))
                .map(EventLog.Event::text)
                .toList();
    }

    @Test
    void theFirstOnesAreTakenAtOnceAndTheOldestOfEachKindGo() {
        cluster.set(DIR, new SnapshotCounts(3, 2, 1, 1));
        tick(10);
        assertEquals(
                List.of(
                        "hourly-2026-11-28T18:00Z",
                        "daily-2026-11-28T00:00Z",
                        "weekly-2026-11-23T00:00Z",
                        "monthly-2026-11-01T00:00Z"),
                cluster.names(DIR));
        pass(4 * HOUR_MS);
        assertEquals(
                Set.of(
                        "hourly-2026-11-28T20:00Z",
                        "hourly-2026-11-28T21:00Z",
                        "hourly-2026-11-28T22:00Z",
                        "daily-2026-11-28T00:00Z",
                        "weekly-2026-11-23T00:00Z",
                        "monthly-2026-11-01T00:00Z"),
                Set.copyOf(cluster.names(DIR)));
        pass(48 * HOUR_MS);
        assertEquals(
                Set.of(
                        "hourly-2026-11-30T20:00Z",
                        "hourly-2026-11-30T21:00Z",
                        "hourly-2026-11-30T22:00Z",
                        "daily-2026-11-29T00:00Z",
                        "daily-2026-11-30T00:00Z",
                        "weekly-2026-11-30T00:00Z",
                        "monthly-2026-11-01T00:00Z"),
                Set.copyOf(cluster.names(DIR)));
        assertEquals(List.of(), told("snapshotFailed"));
    }

    @Test
    void anOutageIsCaughtUpWithOneAndANewLeaderTakesNothingTwice() {
        cluster.set(DIR, new SnapshotCounts(24, 0, 0, 0));
        tick(4);
        clock.advance(10 * HOUR_MS);
        taker = new ScheduledSnapshots(cluster, events, clock);
        tick(10);
        assertEquals(
                List.of("hourly-2026-11-28T18:00Z", "hourly-2026-11-29T04:00Z"),
                cluster.names(DIR));
        taker = new ScheduledSnapshots(cluster, events, clock);
        tick(10);
        taker.tick(2);
        assertEquals(2, cluster.taken.size(), cluster.taken::toString);
    }

    @Test
    void aClockThatIsSetBackAndADroppedSnapshotTakeNothingAgain() {
        cluster.set(DIR, new SnapshotCounts(1, 0, 0, 0));
        tick(4);
        pass(HOUR_MS);
        assertEquals(List.of("hourly-2026-11-28T19:00Z"), cluster.names(DIR));
        clock.advance(-HOUR_MS);
        taker = new ScheduledSnapshots(cluster, events, clock);
        tick(10);
        assertEquals(List.of("hourly-2026-11-28T19:00Z"), cluster.names(DIR));
        pass(2 * HOUR_MS);
        assertEquals(List.of("hourly-2026-11-28T20:00Z"), cluster.names(DIR));
        cluster.snapshots.clear();
        pass(HOUR_MS / 4);
        assertEquals(List.of(), cluster.names(DIR));
        pass(HOUR_MS);
        assertEquals(List.of("hourly-2026-11-28T21:00Z"), cluster.names(DIR));
    }

    @Test
    void aSnapshotOfTheFutureEndsNoSchedule() {
        clock.advance(100 * 24 * HOUR_MS);
        cluster.set(DIR, new SnapshotCounts(1, 0, 0, 0));
        tick(4);
        assertEquals(List.of("hourly-2027-03-08T18:00Z"), cluster.names(DIR));
        clock.advance(-100 * 24 * HOUR_MS);
        clock.advance(60_000);
        cluster.set(DIR, new SnapshotCounts(2, 0, 0, 0));
        tick(4);
        pass(2 * HOUR_MS);
        assertEquals(
                List.of(
                        "hourly-2027-03-08T18:00Z",
                        "hourly-2026-11-28T19:00Z",
                        "hourly-2026-11-28T20:00Z"),
                cluster.names(DIR));
        assertEquals(
                List.of(
                        "Snapshot hourly-2027-03-08T18:00Z of /d17 is of the future: is the clock"
                                + " right?"),
                told("snapshotOfTheFuture"));
        assertEquals(List.of(), told("snapshotFailed"));
    }

    @Test
    void whereThereIsNoRoomTheOldestGoesFirst() {
        cluster.set(DIR, new SnapshotCounts(2, 1, 0, 0));
        tick(8);
        pass(HOUR_MS);
        assertEquals(3, cluster.snapshots.size());
        cluster.most = 3;
        pass(HOUR_MS);
        assertEquals(
                List.of(
                        "daily-2026-11-28T00:00Z",
                        "hourly-2026-11-28T19:00Z",
                        "hourly-2026-11-28T20:00Z"),
                cluster.names(DIR));
        assertNull(taker.trouble(DIR));
        assertEquals(1, told("snapshotFailed").size());
        cluster.most = 0;
        pass(8 * HOUR_MS);
        // The last of each kind stays.
        assertEquals(
                List.of("daily-2026-11-28T00:00Z", "hourly-2026-11-28T20:00Z"), cluster.names(DIR));
    }

    @Test
    void whatIsTooManyGoesAlthoughNoneCanBeTaken() {
        cluster.set(DIR, new SnapshotCounts(5, 0, 0, 0));
        tick(4);
        pass(4 * HOUR_MS);
        assertEquals(5, cluster.snapshots.size());
        cluster.failure = Errno.ETIMEDOUT;
        pass(HOUR_MS);
        assertEquals(5, cluster.snapshots.size());
        cluster.set(DIR, new SnapshotCounts(2, 0, 0, 0));
        tick(20);
        assertEquals(
                List.of("hourly-2026-11-28T21:00Z", "hourly-2026-11-28T22:00Z"),
                cluster.names(DIR));
        assertTrue(String.valueOf(taker.trouble(DIR)).contains("no luck"));
    }

    @Test
    void whatCannotBeDroppedKeepsNoneFromBeingTaken() {
        cluster.set(DIR, new SnapshotCounts(1, 0, 0, 0));
        tick(4);
        cluster.dropFailure = Errno.ETIMEDOUT;
        pass(2 * HOUR_MS);
        assertEquals(3, cluster.snapshots.size());
        List<String> told = told("snapshotFailed");
        assertTrue(told.size() >= 3 && told.size() <= 12, told::toString);
        assertTrue(String.valueOf(taker.trouble(DIR)).contains("was not dropped"));
        cluster.dropFailure = null;
        pass(HOUR_MS / 2);
        assertEquals(List.of("hourly-2026-11-28T20:00Z"), cluster.names(DIR));
        assertNull(taker.trouble(DIR));
    }

    @Test
    void whatOthersHaveTakenIsAsGood() {
        Name name = Name.of("hourly-2026-11-28T18:00Z");
        cluster.set(DIR, new SnapshotCounts(2, 0, 0, 0));
        cluster.failure = Errno.EEXIST;
        tick(4);
        pass(HOUR_MS / 2);
        assertEquals(List.of(DIR + ":" + name), cluster.taken);
        assertNull(taker.trouble(DIR));
    }

    @Test
    void aFailureIsToldAndTriedAgainLaterWhileOthersGoOn() {
        tick(1);
        clock.advance(60_000);
        cluster.set(DIR, new SnapshotCounts(2, 0, 0, 0));
        cluster.failure = Errno.ETIMEDOUT;
        tick(8);
        assertEquals(1, cluster.taken.size());
        assertEquals(
                List.of(
                        "Snapshot hourly-2026-11-28T18:00Z of /d17 was not taken: no luck; it is"
                                + " tried again in 1 minute."),
                told("snapshotFailed"));
        assertTrue(String.valueOf(taker.trouble(DIR)).contains("no luck"));
        cluster.set(18, new SnapshotCounts(1, 0, 0, 0));
        cluster.failure = null;
        tick(8);
        assertEquals(List.of(), cluster.names(DIR));
        assertEquals(1, cluster.names(18).size());
        cluster.failure = Errno.ETIMEDOUT;
        pass(HOUR_MS / 2);
        List<String> told = told("snapshotFailed");
        assertTrue(told.size() >= 3 && told.size() <= 6, told::toString);
        assertTrue(told.getLast().contains("in 15 minutes"), told::toString);
        cluster.failure = null;
        pass(HOUR_MS / 60 * 16);
        assertEquals(1, cluster.names(DIR).size());
        assertNull(taker.trouble(DIR));
    }

    @Test
    void oneIsTakenAtATimeAndWhatHangsIsGivenUp() {
        tick(1);
        clock.advance(60_000);
        cluster.answer = new CompletableFuture<>();
        cluster.set(DIR, new SnapshotCounts(1, 1, 0, 0));
        tick(20);
        assertEquals(1, cluster.taken.size());
        clock.advance(120_000);
        cluster.answer = null;
        tick(20);
        assertEquals(List.of("daily-2026-11-28T00:00Z"), cluster.names(DIR));
        assertTrue(told("snapshotFailed").getFirst().contains("did not answer"));
    }

    @Test
    void whatPassesSoonIsNoNews() {
        cluster.set(DIR, new SnapshotCounts(1, 0, 0, 0));
        cluster.failure = Errno.ETIMEDOUT;
        tick(40);
        clock.advance(60_000);
        cluster.failure = Errno.EAGAIN;
        tick(40);
        assertEquals(List.of(), told("snapshotFailed"));
        assertNull(taker.trouble(DIR));
        cluster.failure = null;
        tick(20);
        assertEquals(1, cluster.names(DIR).size());
    }

    @Test
    void whatIsRefusedForMinutesIsTold() {
        cluster.set(DIR, new SnapshotCounts(1, 0, 0, 0));
        cluster.failure = Errno.EAGAIN;
        pass(HOUR_MS / 60 * 4);
        assertEquals(List.of(), told("snapshotFailed"));
        pass(HOUR_MS / 60 * 4);
        assertEquals(1, told("snapshotFailed").size());
        assertTrue(String.valueOf(taker.trouble(DIR)).contains("no luck"));
        cluster.failure = null;
        pass(HOUR_MS / 60 * 2);
        assertEquals(1, cluster.names(DIR).size());
        assertNull(taker.trouble(DIR));
    }

    @Test
    void theScheduleOfARemovedDirectoryEnds() {
        cluster.set(DIR, new SnapshotCounts(1, 0, 0, 0));
        cluster.removed.add(DIR);
        tick(4);
        assertEquals(List.of(), cluster.schedules);
        assertEquals(List.of(), cluster.taken);
        assertEquals(1, told("snapshotScheduleEnded").size());
    }
}
