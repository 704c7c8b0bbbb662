package io.cairn.admin.resource;

import io.cairn.admin.api.Call;
import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Outcome;
import io.cairn.admin.api.Plan;
import io.cairn.admin.api.Problem;
import io.cairn.admin.api.Records;
import io.cairn.admin.api.Resource;
import io.cairn.admin.api.Role;
import io.cairn.admin.api.Route;
import io.cairn.admin.api.Shape;
import io.cairn.admin.backup.BackupSchedule;
import io.cairn.admin.backup.BackupSchedule.Setting;
import io.cairn.base.Wording;
import io.cairn.cluster.Policy;
import io.cairn.cluster.Pool;
import io.cairn.master.MasterService;
import io.cairn.master.MasterSettings;
import io.cairn.master.cluster.ScrubRecords;
import io.cairn.master.cluster.move.MoveLimits;
import io.cairn.metadata.cluster.AdminRecord;
import io.cairn.wire.master.RecordChange;
import io.cairn.wire.scrub.ScrubReport.Orders;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * {@code /configuration}: what can be changed while all runs, and what was decided at the start.
 * Levels of loggers are the record {@code setting/logLevels}; every master follows it.
 */
public final class ConfigurationResource implements Resource {
    public static final String LOG_LEVELS = "setting/logLevels";

    private static final Pattern LOGGER = Pattern.compile("[a-zA-Z0-9_$]+(\\.[a-zA-Z0-9_$]+)*");
    private static final int MAX_LOGGERS = 64;
    private static final long MAX_GRACE_MS = 30L * 24 * 3600 * 1000;
    private static final List<String> LEVELS =
            List.of("trace", "debug", "info", "warn", "error", "off");

    private static final Field REPLICAS =
            Field.of(
                    "standardReplicas",
                    Shape.whole(1, Policy.MAX_REPLICAS),
                    "Copies of every chunk of new files where no policy says otherwise.");
    private static final Field LOGGERS =
            Field.of(
                    "logLevels",
                    new Shape.Table(Shape.choice(LEVELS), MAX_LOGGERS),
                    "Levels of loggers of all masters; others are as logback.xml says.");

    private static final Field BACKUP_DIRECTORY =
            Field.of(
                    "backupDirectory",
                    Shape.text(),
                    "Where the leading master backs up the metadata, on its machine; empty: not.");
    private static final Field BACKUP_INTERVAL =
            Field.of(
                    "backupIntervalMinutes",
                    Shape.whole(1, 366 * 24 * 60),
                    "From one backup to the next.");
    private static final Field BACKUP_KEEP =
            Field.of("backupKeep", Shape.whole(1, 10_000), "Backups that are kept there.");
    private static final Field SCRUB_PERIOD =
            Field.of(
                    "scrubPeriodSeconds",
                    Shape.whole(60, 366 * 86_400),
                    "Chunk servers verify each copy once in this time.");
    private static final Field SCRUB_SHARE =
            Field.of(
                    "scrubSharePercent",
                    Shape.whole(1, 100),
                    "The part of a disk's time that this may take.");
    private static final Field GRACE =
            Field.of(
                    MoveLimits.GRACE,
                    Shape.whole(0, MAX_GRACE_MS),
                    "So long a chunk server may be away before its copies are made anew"
                            + " elsewhere.");
    private static final Field SHARE =
            Field.of(
                    MoveLimits.SHARE,
                    Shape.whole(1, 100),
                    "Percent of the time that disks copy what is missing elsewhere.");
    private static final Field MOVE_BYTES =
            Field.of(
                    MoveLimits.MOVE_BYTES,
                    Shape.count(),
                    "So much each target copies when chunks only move; 0: as fast as it can.");
    private static final List<Field> MOVES = List.of(GRACE, SHARE, MOVE_BYTES);

    private static final Shape SHAPE =
            Shape.fields(
                    REPLICAS,
                    LOGGERS,
                    BACKUP_DIRECTORY,
                    BACKUP_INTERVAL,
                    BACKUP_KEEP,
                    SCRUB_PERIOD,
                    SCRUB_SHARE,
                    GRACE,
                    SHARE,
                    MOVE_BYTES,
                    Field.of("inlineLimitBytes", Shape.count(), "Files up to it are in the inode."),
                    Field.of("sessionLeaseMs", Shape.count(), "Of clients."),
                    Field.of("serverLeaseMs", Shape.count(), "Of chunk servers."),
                    Field.of("settleMs", Shape.count(), "Before new pools are made."),
                    Field.of("expectedServers", Shape.count(), "0: as many as come."));

    private final MasterService master;
    private final Records records;

    public ConfigurationResource(MasterService master, Records records) {
        this.master = master;
        this.records = records;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.of("GET", "/configuration", Role.READ, "Settings of the cluster.")
                        .answers(SHAPE)
                        .reads(_ -> Outcome.of(document())),
                Route.of("PATCH", "/configuration", Role.ADMIN, "Changes some settings.")
                        .takes(
                                maybe(REPLICAS),
                                Field.maybe(
                                        LOGGERS.name(),
                                        LOGGERS.shape(),
                                        "Replaces all; an empty object sets none."),
                                maybe(BACKUP_DIRECTORY),
                                maybe(BACKUP_INTERVAL),
                                maybe(BACKUP_KEEP),
                                maybe(SCRUB_PERIOD),
                                maybe(SCRUB_SHARE),
                                maybe(GRACE),
                                maybe(SHARE),
                                maybe(MOVE_BYTES))
                        .answers(SHAPE)
                        .changes(this::change));
    }

    private static Field maybe(Field field) {
        return Field.maybe(field.name(), field.shape(), field.description());
    }

    /** The levels of loggers that a state tells. */
    public static Map<String, String> logLevels(List<AdminRecord> found) {
        Map<String, String> levels = new TreeMap<>();
        if (!found.isEmpty() && found.getFirst().key().equals(LOG_LEVELS)) {
            Json.stored(found.getFirst().value())
                    .forEach((logger, level) -> levels.put(logger, String.valueOf(level)));
        }
        return levels;
    }

    private Map<String, String> logLevels() {
        return logLevels(records.some(LOG_LEVELS, "", 1));
    }

    private Map<String, Object> document() {
        MasterSettings settings = master.settings();
        Map<String, Object> document = Json.map();
        document.put("standardReplicas", master.namespace().standardReplicas());
        document.put("logLevels", logLevels());
        Setting backup = Setting.of(records);
        document.put("backupDirectory", backup.directory());
        document.put("backupIntervalMinutes", backup.intervalMinutes());
        document.put("backupKeep", backup.keep());
        Orders scrub = ScrubRecords.setting(master.namespace());
        document.put(SCRUB_PERIOD.name(), scrub.periodMs() / 1_000);
        document.put(SCRUB_SHARE.name(), scrub.sharePercent());
        document.putAll(moves());
        document.put("inlineLimitBytes", master.namespace().inlineLimitBytes());
        document.put("sessionLeaseMs", settings.sessionLeaseMs());
        document.put("serverLeaseMs", settings.cluster().serverLeaseMs());
        document.put("settleMs", settings.cluster().settleMs());
        document.put("expectedServers", settings.cluster().expectedServers());
        return document;
    }

    private Map<String, Object> moves() {
        MoveLimits limits = MoveLimits.of(master.namespace());
        Map<String, Object> document = Json.map();
        document.put(MoveLimits.GRACE, limits.graceMs());
        document.put(MoveLimits.SHARE, (long) limits.repairShare());
        document.put(MoveLimits.MOVE_BYTES, limits.moveBytes());
        return document;
    }

    private static void put(Map<String, Object> fields, String name, @Nullable Long value) {
        if (value != null) {
            fields.put(name, value);
        }
    }

    private Plan change(Call call) {
        Long replicas = call.bodyNumber("standardReplicas");
        Map<String, String> levels = call.body().get("logLevels") == null ? null : wanted(call);
        List<RecordChange> changes = new ArrayList<>();
        if (levels != null) {
            byte[] value = levels.isEmpty() ? null : Json.bytes(levels);
            changes.add(new RecordChange(LOG_LEVELS, records.version(LOG_LEVELS), value));
        }
        // Versions before what they are of: whoever changes another part meanwhile loses nothing.
        long backupVersion = records.version(BackupSchedule.SETTING);
        Setting present = Setting.of(records);
        Setting backup = backup(call, present);
        if (!backup.equals(present)) {
            changes.add(new RecordChange(BackupSchedule.SETTING, backupVersion, backup.stored()));
        }
        long scrubVersion = records.version(ScrubRecords.SETTING);
        Orders scrub = ScrubRecords.setting(master.namespace());
        Orders verified = scrub(call, scrub);
        if (!verified.equals(scrub)) {
            byte[] value = ScrubRecords.value(verified.periodMs() / 1_000, verified.sharePercent());
            changes.add(new RecordChange(ScrubRecords.SETTING, scrubVersion, value));
        }
        long movesVersion = records.version(MoveLimits.RECORD);
        Map<String, Object> limits = moves();
        Map<String, Object> moves = Json.map();
        moves.putAll(limits);
        MOVES.forEach(field -> put(moves, field.name(), call.bodyNumber(field.name())));
        if (!moves.equals(limits)) {
            changes.add(new RecordChange(MoveLimits.RECORD, movesVersion, Json.bytes(moves)));
        }
        Plan plan =
                new Plan(
                        () -> {
                            records.changeSettings(
                                    replicas == null ? 0 : replicas.intValue(), changes);
                            return Outcome.of(document());
                        });
        limits.forEach(
                (name, now) -> {
                    if (!now.equals(moves.get(name))) {
                        plan.change(name, now, moves.get(name));
                    }
                });
        int standard = master.namespace().standardReplicas();
        if (replicas != null && replicas != standard) {
            requirePool(replicas.intValue());
            plan.change("standardReplicas", standard, replicas);
            plan.warn("Files that exist keep their number of copies.");
        }
        if (levels != null && !levels.equals(logLevels())) {
            plan.change("logLevels", logLevels(), levels);
        }
        if (!backup.equals(present)) {
            plan.change("backup", text(present), text(backup));
        }
        tell(plan, scrub, verified);
        return plan;
    }

    private static void tell(Plan plan, Orders scrub, Orders verified) {
        if (verified.periodMs() != scrub.periodMs()) {
            long before = scrub.periodMs() / 1_000;
            plan.change(SCRUB_PERIOD.name(), before, verified.periodMs() / 1_000);
        }
        if (verified.sharePercent() != scrub.sharePercent()) {
            plan.change(SCRUB_SHARE.name(), scrub.sharePercent(), verified.sharePercent());
        }
    }

    private static String text(Setting backup) {
        return backup.directory().isEmpty()
                ? "none"
                : "in %s, every %d minutes, %d kept"
                        .formatted(backup.directory(), backup.intervalMinutes(), backup.keep());
    }

    private static Setting backup(Call call, Setting present) {
        String directory = call.bodyText("backupDirectory");
        if (directory != null && !directory.isEmpty() && !directory.startsWith("/")) {
            throw Problem.invalid(
                    "backupDirectory",
                    "'" + directory + "' is no absolute path; each master looks for it by itself.");
        }
        Long minutes = call.bodyNumber("backupIntervalMinutes");
        Long keep = call.bodyNumber("backupKeep");
        return new Setting(
                directory == null ? present.directory() : directory,
                minutes == null ? present.intervalMinutes() : minutes,
                keep == null ? present.keep() : keep.intValue());
    }

    private static Orders scrub(Call call, Orders before) {
        Long seconds = call.bodyNumber(SCRUB_PERIOD.name());
        Long percent = call.bodyNumber(SCRUB_SHARE.name());
        return new Orders(
                seconds == null ? before.periodMs() : seconds * 1_000,
                percent == null ? before.sharePercent() : percent.intValue(),
                List.of());
    }

    private static Map<String, String> wanted(Call call) {
        Map<String, String> levels = new TreeMap<>();
        if (call.body().get("logLevels") instanceof Map<?, ?> map) {
            map.forEach(
                    (logger, level) -> levels.put(String.valueOf(logger), String.valueOf(level)));
        }
        for (String logger : levels.keySet()) {
            if (!LOGGER.matcher(logger).matches() || logger.length() > 200) {
                throw Problem.invalid(
                        "logLevels." + logger,
                        "'" + logger + "' is not the name of a logger, such as io.cairn.master.");
            }
        }
        return levels;
    }

    private void requirePool(int replicas) {
        List<Integer> possible =
                master.namespace().clusterMap().pools().stream()
                        .map(Pool::replicas)
                        .distinct()
                        .sorted()
                        .toList();
        if (!possible.contains(replicas)) {
            throw Problem.conflict(
                    "There is no pool with "
                            + Wording.count(replicas, "copy")
                            + ", only "
                            + possible
                            + ": add chunk servers.");
        }
    }
}
