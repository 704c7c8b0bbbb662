package io.cairn.admin.snapshot;

import io.cairn.admin.api.Call;
import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Listing;
import io.cairn.admin.api.Outcome;
import io.cairn.admin.api.Parameter;
import io.cairn.admin.api.Plan;
import io.cairn.admin.api.Problem;
import io.cairn.admin.api.Resource;
import io.cairn.admin.api.Role;
import io.cairn.admin.api.Route;
import io.cairn.admin.api.Shape;
import io.cairn.admin.resource.InodeDocument;
import io.cairn.admin.resource.TreePath;
import io.cairn.base.Wording;
import io.cairn.cluster.PastInode;
import io.cairn.fs.TrashPlace;
import io.cairn.master.MasterService;
import io.cairn.metadata.snapshot.SnapshotRecord;
import io.cairn.runtime.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code /snapshot-schedules}: snapshots that the leader takes by itself. */
public final class SchedulesResource implements Resource {
    private static final Shape SCHEDULE = Shape.fields(fields());

    private final MasterService master;
    private final ScheduleBook book;
    private final ScheduledSnapshots taker;
    private final Clock clock;

    /** The schedules of a book, and what their taker says of them. */
    public SchedulesResource(
            MasterService master, ScheduleBook book, ScheduledSnapshots taker, Clock clock) {
        this.master = master;
        this.book = book;
        this.taker = taker;
        this.clock = clock;
    }

    private static Field[] fields() {
        List<Field> fields = new ArrayList<>();
        fields.add(Field.of("directory", Shape.text(), "The path of the directory now."));
        fields.add(Field.of("schedule", Shape.text(), "As people write it: hourly=24,daily=7."));
        fields.add(Field.maybe("class", Shape.text(), "That says it; null: the directory does."));
        fields.addAll(SnapshotCounts.fields());
        fields.add(Field.of("snapshotCount", Shape.count(), "Snapshots of it that are there."));
        fields.add(Field.maybe("lastAt", Shape.time(), "When the youngest of these was taken."));
        fields.add(Field.of("nextAt", Shape.time(), "When the next one is due."));
        fields.add(Field.maybe("error", Shape.text(), "What keeps them from being taken."));
        return fields.toArray(Field[]::new);
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.of("GET", "/snapshot-schedules", Role.READ, "Schedules of snapshots.")
                        .with(Parameter.paging())
                        .answers(Shape.page(SCHEDULE))
                        .reads(this::list),
                Route.of(
                                "PUT",
                                "/snapshot-schedules/{path*}",
                                Role.ADMIN,
                                "Sets which snapshots of a directory are taken and kept.")
                        .takes(SnapshotCounts.fields().toArray(Field[]::new))
                        .answers(SCHEDULE)
                        .changes(this::set),
                Route.of(
                                "DELETE",
                                "/snapshot-schedules/{path*}",
                                Role.ADMIN,
                                "Ends a schedule; its snapshots stay.")
                        .changes(this::remove));
    }

    private Outcome list(Call call) {
        List<SnapshotRecord> snapshots = book.snapshots();
        return Listing.page(
                call,
                book.schedules(),
                each -> Json.hex(each.root()),
                each -> document(each, snapshots));
    }

    private Map<String, Object> document(
            DirectorySchedule schedule, List<SnapshotRecord> snapshots) {
        List<SnapshotRecord> its = new ArrayList<>();
        for (Cadence cadence : Cadence.values()) {
            its.addAll(taken(schedule.root(), cadence, snapshots));
        }
        Map<String, Object> document = Json.map();
        document.put("directory", schedule.directory());
        document.put("schedule", schedule.counts().text());
        document.put("class", schedule.className());
        schedule.counts().put(document);
        document.put("snapshotCount", its.size());
        document.put(
                "lastAt",
                its.isEmpty()
                        ? null
                        : InodeDocument.time(
                                its.stream().mapToLong(SnapshotRecord::timeNs).max().orElse(0)));
        document.put("nextAt", next(schedule.counts()).toString());
        document.put("error", taker.trouble(schedule.root()));
        return document;
    }

    private Instant next(SnapshotCounts counts) {
        Instant now = clock.now();
        Instant next = Instant.MAX;
        for (Cadence cadence : Cadence.values()) {
            Instant its = cadence.after(now);
            next = counts.of(cadence) > 0 && its.isBefore(next) ? its : next;
        }
        return next;
    }

    private static List<SnapshotRecord> taken(
            long root, Cadence cadence, List<SnapshotRecord> snapshots) {
        return snapshots.stream()
                .filter(each -> each.isLive() && each.root() == root)
                .filter(each -> cadence.momentOf(each.name()) != null)
                .toList();
    }

    private @Nullable DirectorySchedule find(long root) {
        for (DirectorySchedule each : book.schedules()) {
            if (each.root() == root) {
                return each;
            }
        }
        return null;
    }

    private Plan set(Call call) {
        SnapshotCounts counts = SnapshotCounts.of(call.body());
        if (counts.total() == 0) {
            throw Problem.invalid(
                    "hourly",
                    "The schedule says nothing: give hourly, daily, weekly or monthly, or delete"
                            + " it.");
        }
        TreePath place = place(call);
        long root = place.inode().ino();
        DirectorySchedule before = find(root);
        requireRoom(root, counts);
        long version = before == null ? 0 : before.version();
        DirectorySchedule after = new DirectorySchedule(root, place.text(), counts, version);
        Plan plan =
                new Plan(
                        () -> {
                            book.set(after, version);
                            return Outcome.of(document(after, book.snapshots()));
                        });
        plan.change(
                "snapshot schedule of " + place.text(),
                before == null ? null : before.counts().text(),
                counts.text());
        warn(plan, before, after);
        return plan.basedOn(List.of(root, version, counts.text()));
    }

    private TreePath place(Call call) {
        TreePath place = TreePath.find(master.namespace(), call.bytes("path"));
        String text = "'" + place.text() + "'";
        if (PastInode.isPast(place.inode().ino())) {
            throw Problem.conflict(
                    text + " is in a snapshot itself: name the directory as it is now.");
        }
        if (TrashPlace.isDirectory(place.inode().ino())) {
            throw Problem.conflict(text + " is the trash, which has no snapshots.");
        }
        if (!place.inode().attributes().isDirectory()) {
            throw Problem.conflict(text + " is not a directory: name the one that it is in.");
        }
        return place;
    }

    private void requireRoom(long root, SnapshotCounts counts) {
        long others = 0;
        for (DirectorySchedule each : book.schedules()) {
            others += each.root() == root ? 0 : each.counts().total();
        }
        if (others + counts.total() > SnapshotCounts.MAX) {
            throw Problem.conflict(
                    ("All schedules together would keep %d snapshots; at most %d may be: keep at"
                                    + " most %d of this directory, or end another schedule.")
                            .formatted(
                                    others + counts.total(),
                                    SnapshotCounts.MAX,
                                    SnapshotCounts.MAX - others));
        }
    }

    private void warn(Plan plan, @Nullable DirectorySchedule before, DirectorySchedule after) {
        List<SnapshotRecord> snapshots = book.snapshots();
        for (Cadence cadence : Cadence.values()) {
            int count = after.counts().of(cadence);
            int there = taken(after.root(), cadence, snapshots).size();
            boolean wasTaken = before != null && before.counts().of(cadence) > 0;
            if (count > 0 && there > count) {
                plan.warn(
                        "%s dropped: %d are there, %d are kept."
                                .formatted(
                                        Wording.count(there - count, cadence.text() + " snapshot")
                                                + (there - count == 1 ? " is" : " are"),
                                        there,
                                        count));
            } else if (count == 0 && there > 0 && wasTaken) {
                plan.warn(
                        "The %s stay until somebody drops them."
                                .formatted(Wording.count(there, cadence.text() + " snapshot")));
            }
        }
    }

    private Plan remove(Call call) {
        TreePath place = TreePath.find(master.namespace(), call.bytes("path"));
        DirectorySchedule found = find(place.inode().ino());
        if (found == null) {
            throw Problem.notFound(
                    "'%s' has no schedule of its own: 'GET /snapshot-schedules' lists all."
                            .formatted(place.text()));
        }
        if (found.className() != null) {
            throw Problem.conflict(
                    ("'%s' has the schedule of class '%s': take it from the class, or give the"
                                    + " directory another class or a schedule of its own.")
                            .formatted(place.text(), found.className()));
        }
        Plan plan =
                new Plan(
                        () -> {
                            book.forget(found);
                            return Outcome.done();
                        });
        plan.change("snapshot schedule of " + place.text(), found.counts().text(), null);
        plan.warn("Snapshots that were taken stay until somebody drops them.");
        return plan.basedOn(List.of(found.root(), found.version()));
    }
}
