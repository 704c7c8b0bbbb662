package io.cairn.admin.snapshot;

import io.cairn.admin.api.Json;
import io.cairn.admin.api.Problem;
import io.cairn.admin.api.Records;
import io.cairn.admin.resource.TreePath;
import io.cairn.cluster.Inode;
import io.cairn.fs.Name;
import io.cairn.master.MasterService;
import io.cairn.metadata.cluster.AdminRecord;
import io.cairn.metadata.snapshot.SnapshotRecord;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.RecordChange;
import io.cairn.wire.master.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * The schedules of a cluster: records {@code snapshot-schedule/INODE} of the administration in the
 * replicated state, and for other directories what their storage class says. Thread-safe; changes
 * block until they are in the log.
 */
public final class ScheduleBook implements ScheduledSnapshots.SnapshotCluster {
    private static final String PREFIX = "snapshot-schedule/";

    private final MasterService master;
    private final Records records;
    private final ClassSchedules classes;

    /** The schedules that a master knows; only the leader's may be changed. */
    public ScheduleBook(MasterService master, Records records) {
        this.master = master;
        this.records = records;
        classes = new ClassSchedules(master, records, this);
    }

    /** What storage classes say. */
    public ClassSchedules classes() {
        return classes;
    }

    @Override
    public long changes() {
        return master.namespace().recordChanges() + classes.changes();
    }

    @Override
    public List<DirectorySchedule> schedules() {
        List<DirectorySchedule> found = new ArrayList<>(own());
        Set<Long> owners = found.stream().map(DirectorySchedule::root).collect(Collectors.toSet());
        classes.ofDirectories()
                .forEach(
                        (each, counts) -> {
                            long root = each.ino();
                            if (!owners.contains(root) && isThere(root)) {
                                String path = path(root, Json.hex(root));
                                found.add(
                                        new DirectorySchedule(root, path, counts, 0, each.name()));
                            }
                        });
        return found;
    }

    /** Directories without a schedule of their own that have a class, apart from one of them. */
    long followers(String className, long otherThan) {
        Set<Long> owners = own().stream().map(DirectorySchedule::root).collect(Collectors.toSet());
        return master.namespace().classes().assignments().stream()
                .filter(each -> each.name().equals(className) && each.ino() != otherThan)
                .filter(each -> !owners.contains(each.ino()))
                .count();
    }

    private List<DirectorySchedule> own() {
        List<DirectorySchedule> found = new ArrayList<>();
        for (AdminRecord record : records.all(PREFIX)) {
            Map<String, Object> stored = Json.stored(record.value());
            long root = Long.parseUnsignedLong(record.key().substring(PREFIX.length()), 16);
            String known = String.valueOf(stored.get("directory"));
            found.add(
                    new DirectorySchedule(
                            root, path(root, known), SnapshotCounts.of(stored), record.version()));
        }
        return found;
    }

    private String path(long ino, String known) {
        Reply reply = master.namespace().read(0, new Query.GetPath(ino));
        return reply instanceof Reply.BytesReply path ? TreePath.text(path.bytes()) : known;
    }

    @Override
    public boolean isThere(long root) {
        Inode inode = master.namespace().inode(root);
        return inode != null && inode.attributes().isDirectory() && inode.attributes().nlink() > 0;
    }

    @Override
    public List<SnapshotRecord> snapshots() {
        return master.namespace().snapshots();
    }

    @Override
    public CompletableFuture<SnapshotRecord> take(long root, Name name) {
        return master.snapshots().take(root, name);
    }

    @Override
    public CompletableFuture<Void> drop(SnapshotRecord snapshot) {
        return master.snapshots().drop(snapshot);
    }

    /**
     * Sets the schedule of a directory.
     *
     * @param version of the record that it replaces; 0 for none
     * @throws Problem 412 when that has another version
     */
    void set(DirectorySchedule schedule, long version) {
        byte[] value = schedule.counts().stored(schedule.directory());
        records.change(new RecordChange(key(schedule.root()), version, value));
    }

    @Override
    public void forget(DirectorySchedule schedule) {
        if (schedule.className() == null) {
            records.change(new RecordChange(key(schedule.root()), schedule.version(), null));
        }
    }

    private static String key(long root) {
        return PREFIX + Json.hex(root);
    }
}
