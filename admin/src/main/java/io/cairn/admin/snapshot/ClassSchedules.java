package io.cairn.admin.snapshot;

import io.cairn.admin.api.Json;
import io.cairn.admin.api.Problem;
import io.cairn.admin.api.Records;
import io.cairn.cluster.Policy.StorageClass;
import io.cairn.master.MasterService;
import io.cairn.metadata.classes.StorageClasses.Assignment;
import io.cairn.metadata.cluster.AdminRecord;
import io.cairn.wire.master.RecordChange;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The schedules that storage classes say for the directories that refer to them: records {@code
 * class-schedule/NAME} of the administration in the replicated state. A record of a class that is
 * not there says nothing. Thread-safe; changes block until they are in the log.
 */
public final class ClassSchedules {
    private static final String PREFIX = "class-schedule/";

    private final MasterService master;
    private final Records records;
    private final ScheduleBook book;
    private final AtomicLong assigned = new AtomicLong();

    /** Those beside the schedules of directories in a book. */
    ClassSchedules(MasterService master, Records records, ScheduleBook book) {
        this.master = master;
        this.records = records;
        this.book = book;
    }

    /** The schedule of a class as people write it; null when it says none. */
    public @Nullable String text(String className) {
        AdminRecord record = records.get(PREFIX + className);
        return record == null ? null : counts(record).text();
    }

    /**
     * A schedule as people write it, in the one order of its kinds.
     *
     * @throws IllegalArgumentException with what is wrong, and what would be right
     */
    public static String normal(String text) {
        return SnapshotCounts.parse(text).text();
    }

    /**
     * Sets the schedule of a class, which need not be there yet.
     *
     * @param schedule as {@link #normal} gives it; null for none
     * @throws Problem 412 when somebody else changes it at the same time
     */
    public void set(String className, @Nullable String schedule) {
        String key = PREFIX + className;
        long version = records.version(key);
        if (schedule != null) {
            byte[] value = SnapshotCounts.parse(schedule).stored(null);
            records.change(new RecordChange(key, version, value));
        } else if (version != 0) {
            records.change(new RecordChange(key, version, null));
        }
    }

    /** Says that a directory got another class: its schedule is looked at soon. */
    public void assigned() {
        assigned.incrementAndGet();
    }

    /** Another number after each call of {@link #assigned}. */
    long changes() {
        return assigned.get();
    }

    /**
     * Fails when all schedules would keep too many snapshots.
     *
     * @param className the class that says it
     * @param schedule what it will say
     * @param added a directory that gets the class; 0 for none
     * @throws Problem 409 with the numbers
     */
    public void requireRoom(String className, String schedule, long added) {
        long each = SnapshotCounts.parse(schedule).total();
        long others = 0;
        boolean isOwn = false;
        for (DirectorySchedule known : book.schedules()) {
            String saidBy = known.className();
            if (saidBy == null) {
                isOwn |= known.root() == added;
                others += known.counts().total();
            } else if (known.root() != added && !saidBy.equals(className)) {
                others += known.counts().total();
            }
        }
        long directories = book.followers(className, added) + (added != 0 && !isOwn ? 1 : 0);
        if (directories > 0 && others + directories * each > SnapshotCounts.MAX) {
            throw Problem.conflict(
                    ("All schedules together would keep %d snapshots; at most %d may be: let class"
                                    + " '%s' keep fewer of each directory, or end another"
                                    + " schedule.")
                            .formatted(others + directories * each, SnapshotCounts.MAX, className));
        }
    }

    /** What the classes that are there say, by their names. */
    private Map<String, SnapshotCounts> counts() {
        Map<String, SnapshotCounts> said = new HashMap<>();
        for (AdminRecord record : records.all(PREFIX)) {
            said.put(record.key().substring(PREFIX.length()), counts(record));
        }
        if (!said.isEmpty()) {
            List<String> there =
                    master.namespace().classes().all().stream().map(StorageClass::name).toList();
            said.keySet().retainAll(there);
        }
        return said;
    }

    private static SnapshotCounts counts(AdminRecord record) {
        return SnapshotCounts.of(Json.stored(record.value()));
    }

    /** What directories get of their classes: the schedules by directory. */
    Map<Assignment, SnapshotCounts> ofDirectories() {
        Map<String, SnapshotCounts> said = counts();
        Map<Assignment, SnapshotCounts> found = new HashMap<>();
        if (!said.isEmpty()) {
            for (Assignment each : master.namespace().classes().assignments()) {
                SnapshotCounts counts = said.get(each.name());
                if (counts != null) {
                    found.put(each, counts);
                }
            }
        }
        return found;
    }
}
