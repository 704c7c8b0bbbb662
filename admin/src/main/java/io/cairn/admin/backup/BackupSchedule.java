package io.cairn.admin.backup;

import io.cairn.admin.api.EventLog;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Problem;
import io.cairn.admin.api.Records;
import io.cairn.admin.watch.Health;
import io.cairn.base.Wording;
import io.cairn.master.MasterService;
import io.cairn.master.backup.BackupFiles;
import io.cairn.metadata.cluster.AdminRecord;
import io.cairn.metadata.state.StoredState;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.RecordChange;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Backups that the leading master makes by itself, in a directory of its machine: the record {@code
 * setting/backup} says how often, {@code backup/last} tells of the last one, whichever master made
 * it. Thread-safe.
 */
public final class BackupSchedule {
    public static final String SETTING = "setting/backup";

    private static final String LAST = "backup/last";
    private static final long RETRY_MS = TimeUnit.MINUTES.toMillis(15);

    private final MasterService master;
    private final Records records;
    private final EventLog events;
    private final Clock clock;
    private final String release;
    private final AtomicBoolean running = new AtomicBoolean();
    private volatile @Nullable Setting seen;

    /**
     * How often, and where.
     *
     * @param directory on the machine of each master; empty for never
     * @param intervalMinutes from one to the next
     * @param keep so many are kept, older ones are deleted
     */
    public record Setting(String directory, long intervalMinutes, int keep) {
        /** None, and once a day as soon as there is a directory. */
        public static final Setting STANDARD = new Setting("", 24 * 60, 7);

        /** The setting of a cluster. */
        public static Setting of(Records records) {
            AdminRecord record = records.get(SETTING);
            if (record == null) {
                return STANDARD;
            }
            Map<String, Object> map = Json.stored(record.value());
            return new Setting(
                    String.valueOf(map.get("directory")),
                    number(map, "intervalMinutes"),
                    (int) number(map, "keep"));
        }

        /** The record that holds it. */
        public byte[] stored() {
            Map<String, Object> map = Json.map();
            map.put("directory", directory);
            map.put("intervalMinutes", intervalMinutes);
            map.put("keep", keep);
            return Json.bytes(map);
        }

        boolean isOn() {
            return !directory.isEmpty();
        }

        long intervalMs() {
            return TimeUnit.MINUTES.toMillis(intervalMinutes);
        }
    }

    /**
     * What became of the last ones.
     *
     * @param madeMs when the last good one was made, 0 for none
     * @param triedMs when the last one was tried
     * @param error why that failed, or null
     */
    private record Last(long madeMs, String file, long triedMs, @Nullable String error) {
        static Last of(@Nullable AdminRecord record) {
            if (record == null) {
                return new Last(0, "", 0, null);
            }
            Map<String, Object> map = Json.stored(record.value());
            return new Last(
                    number(map, "madeMs"),
                    String.valueOf(map.get("file")),
                    number(map, "triedMs"),
                    map.get("error") instanceof String text ? text : null);
        }

        byte[] stored() {
            Map<String, Object> map = Json.map();
            map.put("madeMs", madeMs);
            map.put("file", file);
            map.put("triedMs", triedMs);
            map.put("error", error);
            return Json.bytes(map);
        }
    }

    /**
     * The schedule of a cluster.
     *
     * @param release told in the files
     */
    public BackupSchedule(
            MasterService master, Records records, EventLog events, Clock clock, String release) {
        this.master = master;
        this.records = records;
        this.events = events;
        this.clock = clock;
        this.release = release;
    }

    private static long number(Map<String, Object> map, String field) {
        return map.get(field) instanceof Number number ? number.longValue() : 0;
    }

    /**
     * Begins a backup when it is time, while this master leads; called often, by one thread at a
     * time. A setting that was changed is tried at once.
     */
    public void tick() {
        Setting setting = Setting.of(records);
        boolean isNew = seen != null && !setting.equals(seen);
        if (running.get()) {
            return;
        }
        seen = setting;
        if (!setting.isOn()) {
            return;
        }
        Last last = Last.of(records.get(LAST));
        long waitMs = last.error == null ? setting.intervalMs() : retryMs(setting);
        long passedMs = nowMs() - last.triedMs;
        boolean isDue = isNew || passedMs < 0 || passedMs >= waitMs;
        if (isDue && running.compareAndSet(false, true)) {
            Thread.ofPlatform().daemon().name("backup").start(() -> make(setting, last));
        }
    }

    private static long retryMs(Setting setting) {
        return Math.min(setting.intervalMs(), RETRY_MS);
    }

    private long nowMs() {
        return clock.wallNs() / 1_000_000;
    }

    private void make(Setting setting, Last before) {
        long now = nowMs();
        try {
            Last after = attempt(setting, before, now);
            records.change(new RecordChange(LAST, records.version(LAST), after.stored()));
            if (after.error != null) {
                events.add(
                        "warning",
                        "backupFailed",
                        setting.directory,
                        "The backup of the metadata failed: " + after.error + ".");
            } else {
                events.add(
                        "info",
                        "backupMade",
                        after.file,
                        "The metadata was backed up in " + after.file + ".");
            }
        } catch (Problem e) {
            events.add(
                    "warning",
                    "backupFailed",
                    setting.directory,
                    "The outcome of a backup cannot be written down: " + e.getMessage());
        } finally {
            running.set(false);
        }
    }

    private Last attempt(Setting setting, Last before, long now) {
        try (StoredState state = master.namespace().snapshot()) {
            Path file =
                    new BackupFiles(Path.of(setting.directory))
                            .add(
                                    state,
                                    BackupResource.head(master, state, now, release),
                                    setting.keep);
            return new Last(now, file.toString(), now, null);
        } catch (IOException e) {
            String why = "master " + master.settings().id() + ": " + Wording.of(e);
            return new Last(before.madeMs, before.file, now, why);
        } catch (RuntimeException e) {
            String why = "master " + master.settings().id() + ": " + e.getMessage();
            return new Last(before.madeMs, before.file, now, why);
        }
    }

    /** Tells what is wrong with the backups of a cluster. */
    public static void tell(Records records, long nowMs, Health health) {
        Setting setting = Setting.of(records);
        if (!setting.isOn()) {
            return;
        }
        Last last = Last.of(records.get(LAST));
        if (last.error != null) {
            health.warning(
                    "The last backup of the metadata failed: " + last.error + ".",
                    "See that every master can write to %s, or set backupDirectory."
                            .formatted(setting.directory));
        } else if (last.madeMs != 0 && nowMs - last.madeMs > 2 * setting.intervalMs()) {
            health.warning(
                    "The last backup of the metadata is of %s."
                            .formatted(Instant.ofEpochMilli(last.madeMs)),
                    "Look at the log of the leading master: backups are due every %d minutes."
                            .formatted(setting.intervalMinutes));
        }
    }
}
