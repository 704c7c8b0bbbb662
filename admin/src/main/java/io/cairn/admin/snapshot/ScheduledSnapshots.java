package io.cairn.admin.snapshot;

import io.cairn.admin.api.EventLog;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.base.Wording;
import io.cairn.fs.Name;
import io.cairn.metadata.snapshot.SnapshotRecord;
import io.cairn.runtime.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Takes the snapshots of schedules while this master leads, and drops the oldest ones. The names of
 * the snapshots tell which moments are done, so that a new leader goes on without a word of the old
 * one. One thing is done at a time, as only one snapshot can be taken at a time. Thread-safe.
 */
public final class ScheduledSnapshots {
    /** Schedules are looked at so often, and whenever a record of the administration changes. */
    private static final long LOOK_MS = TimeUnit.MINUTES.toMillis(1);

    /** A new leader has not heard of all chunk servers: failures are no news for so long. */
    private static final long SETTLE_MS = TimeUnit.SECONDS.toMillis(30);

    private static final long SOON_MS = TimeUnit.SECONDS.toMillis(2);
    private static final long FIRST_PAUSE_MS = TimeUnit.MINUTES.toMillis(1);
    private static final long LAST_PAUSE_MS = TimeUnit.MINUTES.toMillis(15);

    /** What is refused for the moment is no news for so long. */
    private static final long PASSING_MS = TimeUnit.MINUTES.toMillis(5);

    /** What has not ended by then is not waited for any more. */
    private static final long HANG_MS = TimeUnit.MINUTES.toMillis(2);

    private final SnapshotCluster cluster;
    private final EventLog events;
    private final Clock clock;
    private final Map<Duty, Instant> done = new HashMap<>();
    private final Map<Duty, Trouble> troubles = new HashMap<>();
    private final Map<Duty, Trouble> dropTroubles = new HashMap<>();
    private final Map<Duty, Instant> futures = new HashMap<>();
    private long term = -1;
    private long leadsSinceMs;
    private @Nullable Work work;
    private long changesSeen;
    private long lookMs;

    /** The cluster whose snapshots they are. */
    interface SnapshotCluster {
        /** Another number after each change of a schedule. */
        long changes();

        /** All schedules, those of removed directories included. */
        List<DirectorySchedule> schedules();

        /** Whether a directory is there. */
        boolean isThere(long root);

        /** Removes a schedule. */
        void forget(DirectorySchedule schedule);

        /** All snapshots, also those that are begun or dropped. */
        List<SnapshotRecord> snapshots();

        /** Takes a snapshot; fails with EEXIST when there is one of that name. */
        CompletableFuture<SnapshotRecord> take(long root, Name name);

        /** Drops a snapshot; fails with ENOENT when it is gone. */
        CompletableFuture<Void> drop(SnapshotRecord snapshot);
    }

    /** The snapshots of one cadence of a directory. */
    private record Duty(long root, Cadence cadence) {}

    /**
     * What went wrong with taking or dropping those of a duty.
     *
     * @param failures that were told
     * @param sinceMs it was refused for the moment since then
     * @param untilMs it is not tried before
     * @param full whether there were too many snapshots
     */
    private record Trouble(String text, int failures, long sinceMs, long untilMs, boolean full) {}

    /**
     * What was begun.
     *
     * @param failed what to say when it fails
     * @param good the error that is as good as success
     * @param taken the moment whose snapshot is taken; null when one is dropped
     * @param outcome looked at by ticks: who completes it may hold locks
     */
    private record Work(
            Duty duty,
            String directory,
            String failed,
            Errno good,
            @Nullable Instant taken,
            CompletableFuture<?> outcome,
            long sinceMs) {}

    /**
     * None is taken before the first tick.
     *
     * @param events hears of failures
     */
    ScheduledSnapshots(SnapshotCluster cluster, EventLog events, Clock clock) {
        this.cluster = cluster;
        this.events = events;
        this.clock = clock;
    }

    /** Those of the schedules of a book; events hear of failures. */
    public ScheduledSnapshots(ScheduleBook book, EventLog events, Clock clock) {
        this((SnapshotCluster) book, events, clock);
    }

    /** Begins the next thing that is due; called often while this master leads in a term. */
    public synchronized void tick(long leaderTerm) {
        long nowMs = clock.millis();
        if (leaderTerm != term) {
            term = leaderTerm;
            leadsSinceMs = nowMs;
            work = null;
            done.clear();
            troubles.clear();
            dropTroubles.clear();
            futures.clear();
            lookMs = nowMs;
        }
        if (work != null && !work.outcome.isDone() && nowMs - work.sinceMs < HANG_MS) {
            return;
        }
        if (work != null) {
            ended(work);
            work = null;
            lookMs = nowMs;
        }
        long changes = cluster.changes();
        if (changes != changesSeen || nowMs >= lookMs) {
            changesSeen = changes;
            look(nowMs);
        }
    }

    /** What keeps the snapshots of a directory from being taken; null when nothing does. */
    synchronized @Nullable String trouble(long root) {
        for (Map<Duty, Trouble> kind : List.of(troubles, dropTroubles)) {
            for (Map.Entry<Duty, Trouble> each : kind.entrySet()) {
                if (each.getKey().root == root && each.getValue().failures > 0) {
                    return each.getValue().text;
                }
            }
        }
        return null;
    }

    private void look(long nowMs) {
        Instant now = clock.now();
        long hourMs = Duration.between(now, Cadence.HOURLY.after(now)).toMillis();
        lookMs = nowMs + Math.min(LOOK_MS, hourMs);
        List<DirectorySchedule> schedules = cluster.schedules();
        forgetDuties(schedules);
        if (schedules.isEmpty()) {
            return;
        }
        Map<Long, List<SnapshotRecord>> snapshots =
                cluster.snapshots().stream().collect(Collectors.groupingBy(SnapshotRecord::root));
        for (DirectorySchedule schedule : schedules) {
            if (!cluster.isThere(schedule.root())) {
                if (schedule.className() == null) {
                    cluster.forget(schedule);
                    tellEnd(schedule);
                }
                continue;
            }
            List<SnapshotRecord> its = snapshots.getOrDefault(schedule.root(), List.of());
            for (Cadence cadence : Cadence.values()) {
                if (schedule.counts().of(cadence) > 0 && attend(schedule, cadence, its, now)) {
                    return;
                }
            }
        }
    }

    private void forgetDuties(List<DirectorySchedule> schedules) {
        Set<Duty> duties = new HashSet<>();
        for (DirectorySchedule schedule : schedules) {
            for (Cadence cadence : Cadence.values()) {
                if (schedule.counts().of(cadence) > 0) {
                    duties.add(new Duty(schedule.root(), cadence));
                }
            }
        }
        done.keySet().retainAll(duties);
        troubles.keySet().retainAll(duties);
        dropTroubles.keySet().retainAll(duties);
        futures.keySet().retainAll(duties);
    }

    private void tellEnd(DirectorySchedule schedule) {
        events.add(
                "info",
                "snapshotScheduleEnded",
                schedule.directory(),
                "The schedule of snapshots of %s ends: the directory was removed."
                        .formatted(schedule.directory()));
    }

    /** Begins what is due of a cadence; whether there was something. */
    private boolean attend(
            DirectorySchedule schedule, Cadence cadence, List<SnapshotRecord> its, Instant now) {
        Duty duty = new Duty(schedule.root(), cadence);
        Instant next = cadence.after(now);
        Instant newest = done.getOrDefault(duty, Instant.MIN);
        if (newest.isAfter(next)) {
            newest = Instant.MIN;
        }
        TreeMap<Instant, SnapshotRecord> live = new TreeMap<>();
        for (SnapshotRecord snapshot : its) {
            Instant moment = cadence.momentOf(snapshot.name());
            if (moment != null) {
                newest = moment.isAfter(newest) && !moment.isAfter(next) ? moment : newest;
                if (snapshot.isLive()) {
                    live.put(moment, snapshot);
                }
            }
        }
        // A clock that was wrong once must not end a schedule for as long.
        if (!live.isEmpty() && live.lastKey().isAfter(next)) {
            tellFuture(duty, schedule.directory(), live.lastKey());
            live.tailMap(next, false).clear();
        }
        // After an outage the last moment is caught up with, and none before. A clock that was set
        // back a little takes nothing again.
        Instant due = cadence.momentAt(now);
        boolean isDue = newest.isBefore(due);
        Trouble trouble = troubles.get(duty);
        // Where there is no room for another one the oldest goes before, but never the last.
        int room = isDue && trouble != null && trouble.full ? 1 : 0;
        int most = Math.max(1, schedule.counts().of(cadence) - room);
        if (live.size() > most && mayTry(dropTroubles.get(duty))) {
            drop(schedule, duty, live.firstEntry().getValue());
            return true;
        }
        if (isDue && mayTry(trouble)) {
            take(schedule, duty, due);
            return true;
        }
        return false;
    }

    private boolean mayTry(@Nullable Trouble trouble) {
        if (trouble == null || clock.millis() >= trouble.untilMs) {
            return true;
        }
        lookMs = Math.min(lookMs, trouble.untilMs);
        return false;
    }

    /** Tells it once. */
    private void tellFuture(Duty duty, String directory, Instant moment) {
        if (!moment.equals(futures.put(duty, moment))) {
            events.add(
                    "warning",
                    "snapshotOfTheFuture",
                    directory,
                    "Snapshot %s of %s is of the future: is the clock right?"
                            .formatted(duty.cadence.nameOf(moment), directory));
        }
    }

    private void take(DirectorySchedule schedule, Duty duty, Instant due) {
        Name name = duty.cadence.nameOf(due);
        work =
                new Work(
                        duty,
                        schedule.directory(),
                        "Snapshot %s of %s was not taken".formatted(name, schedule.directory()),
                        Errno.EEXIST,
                        due,
                        cluster.take(duty.root, name),
                        clock.millis());
    }

    private void drop(DirectorySchedule schedule, Duty duty, SnapshotRecord oldest) {
        String directory = schedule.directory();
        work =
                new Work(
                        duty,
                        directory,
                        "Snapshot %s of %s was not dropped".formatted(oldest.name(), directory),
                        Errno.ENOENT,
                        null,
                        cluster.drop(oldest),
                        clock.millis());
    }

    private void ended(Work ended) {
        Throwable error = error(ended.outcome);
        if (error != null && !is(error, ended.good)) {
            failed(ended, error);
            return;
        }
        troublesOf(ended).remove(ended.duty);
        if (ended.taken != null) {
            done.put(ended.duty, ended.taken);
        }
    }

    private Map<Duty, Trouble> troublesOf(Work some) {
        return some.taken == null ? dropTroubles : troubles;
    }

    /** Why it failed; null when it did not. */
    private static @Nullable Throwable error(CompletableFuture<?> outcome) {
        return switch (outcome.state()) {
            case SUCCESS -> null;
            case RUNNING -> new FsException(Errno.ETIMEDOUT, "the masters did not answer");
            case CANCELLED -> new FsException(Errno.ECANCELED, "it was given up");
            case FAILED -> {
                Throwable error = outcome.exceptionNow();
                Throwable cause = error.getCause();
                yield error instanceof CompletionException && cause != null ? cause : error;
            }
        };
    }

    private static boolean is(Throwable error, Errno errno) {
        return error instanceof FsException failure && failure.errno() == errno;
    }

    private void failed(Work failed, Throwable error) {
        long nowMs = clock.millis();
        Trouble before = troublesOf(failed).get(failed.duty);
        int failures = before == null ? 0 : before.failures;
        long sinceMs = before == null ? nowMs : before.sinceMs;
        boolean isRefused = is(error, Errno.EAGAIN) || is(error, Errno.NOT_LEADER);
        boolean isPassing =
                (isRefused && nowMs - sinceMs < PASSING_MS) || nowMs - leadsSinceMs < SETTLE_MS;
        boolean isFull = is(error, Errno.ENOSPC);
        if (isPassing) {
            String text = before == null ? failed.failed : before.text;
            Trouble passing = new Trouble(text, failures, sinceMs, nowMs + SOON_MS, isFull);
            troublesOf(failed).put(failed.duty, passing);
            return;
        }
        long pauseMs = Math.min(LAST_PAUSE_MS, FIRST_PAUSE_MS << Math.min(failures, 4));
        String text = failed.failed + ": " + Wording.of(error);
        Trouble told = new Trouble(text, failures + 1, nowMs, nowMs + pauseMs, isFull);
        troublesOf(failed).put(failed.duty, told);
        long minutes = TimeUnit.MILLISECONDS.toMinutes(pauseMs);
        events.add(
                "warning",
                "snapshotFailed",
                failed.directory,
                text + "; it is tried again in " + Wording.count(minutes, "minute") + ".");
    }
}
