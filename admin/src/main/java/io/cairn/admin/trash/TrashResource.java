package io.cairn.admin.trash;

import io.cairn.admin.api.Call;
import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Listing;
import io.cairn.admin.api.Log;
import io.cairn.admin.api.Outcome;
import io.cairn.admin.api.Parameter;
import io.cairn.admin.api.Plan;
import io.cairn.admin.api.Problem;
import io.cairn.admin.api.Resource;
import io.cairn.admin.api.Role;
import io.cairn.admin.api.Route;
import io.cairn.admin.api.Shape;
import io.cairn.admin.resource.TreePath;
import io.cairn.master.MasterService;
import io.cairn.metadata.trash.TrashQueries.Page;
import io.cairn.metadata.trash.TrashQueries.Position;
import io.cairn.metadata.trash.TrashRecord;
import io.cairn.metadata.trash.TrashSums;
import io.cairn.wire.master.LeaderMutation.TrashMutation;
import io.cairn.wire.master.Reply;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code /trash}: what was removed and is kept for a while. */
public final class TrashResource implements Resource {
    /** Records that one request for a page looks at. */
    private static final int MAX_LOOKED = 100_000;

    private static final long MAX_SECONDS = 100L * 366 * 86_400;

    private static final Parameter PATH =
            new Parameter("path", Shape.text(), "Only what was there or below; all unless told.");

    private static final Field OF_PATH =
            Field.of("path", Shape.text(), "Where it was; a directory: with all below.");

    private static final Shape ENTRY =
            Shape.fields(
                    Field.of("ino", Shape.text(), "Inode number, decimal."),
                    Field.of("path", Shape.text(), "Where it was."),
                    Field.maybe("pathHex", Shape.text(), "Bytes of a path that is not UTF-8."),
                    Field.of("type", Shape.text(), "file, directory, symlink, fifo, ..."),
                    Field.of("deletedAt", Shape.time(), "When it was removed."),
                    Field.of("expiresAt", Shape.time(), "When it goes by itself."),
                    Field.of("uid", Shape.count(), "Owner."),
                    Field.of("gid", Shape.count(), "Group."),
                    Field.of("sizeBytes", Shape.count(), "Length."));

    private static final Shape SUMS =
            Shape.fields(
                    Field.of("files", Shape.count(), "In the trash, directories not counted."),
                    Field.of("sizeBytes", Shape.count(), "Their lengths."),
                    Field.of("storedBytes", Shape.count(), "One copy of their chunks."),
                    Field.of(
                            "awaitingDeletion",
                            Shape.count(),
                            "Removed files and pieces of data that are still on disks: all, or"
                                    + " those of 'mark'."),
                    Field.of(
                            "mark",
                            Shape.text(),
                            "What is removed by now; give it as 'mark' to hear of that alone."));

    private static final Parameter MARK =
            new Parameter("mark", Shape.text(), "The 'mark' of the answer before.");

    private static final Shape RESTORED =
            Shape.fields(Field.of("entries", Shape.count(), "Files and directories."));

    private static final Shape PURGED =
            Shape.fields(
                    Field.of("entries", Shape.count(), "Files and directories, so far."),
                    Field.of(
                            "heldBytes",
                            Shape.count(),
                            "Of these: bytes of all copies that stay for snapshots, so far."),
                    Field.maybe(
                            "next", Shape.text(), "Ask again with this 'after': more is left."));

    private static final Shape RETENTION =
            Shape.fields(
                    Field.of("path", Shape.text(), "The directory."),
                    Field.maybe(
                            "seconds",
                            Shape.whole(0, MAX_SECONDS),
                            "How long it keeps what is removed; 0: not; null: as the next above."));

    private final MasterService master;

    /** The trash of a cluster. */
    public TrashResource(MasterService master) {
        this.master = master;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.of("GET", "/trash", Role.READ, "What is in the trash, the first to go first.")
                        .with(PATH)
                        .with(Parameter.paging())
                        .answers(Shape.page(ENTRY))
                        .reads(this::list),
                Route.of("GET", "/trash/sums", Role.READ, "How much is in the trash.")
                        .with(MARK)
                        .answers(SUMS)
                        .reads(this::sums),
                Route.of("POST", "/trash/restore", Role.ADMIN, "Puts files to where they were.")
                        .takes(OF_PATH)
                        .answers(RESTORED)
                        .changes(this::restore),
                Route.of("POST", "/trash/purge", Role.ADMIN, "Takes files out for good.")
                        .takes(
                                OF_PATH,
                                Field.maybe("after", Shape.text(), "The 'next' of the answer."))
                        .answers(PURGED)
                        .changes(this::purge),
                Route.of(
                                "GET",
                                "/retention/{path*}",
                                Role.READ,
                                "How long a directory keeps what is removed.")
                        .answers(RETENTION)
                        .reads(call -> Outcome.of(retention(directory(call)))),
                Route.of(
                                "PUT",
                                "/retention/{path*}",
                                Role.ADMIN,
                                "Says how long a directory keeps what is removed.")
                        .takes(
                                Field.maybe(
                                        "seconds",
                                        Shape.whole(0, MAX_SECONDS),
                                        "0 keeps nothing; null: as the directory above says."))
                        .answers(RETENTION)
                        .changes(this::keep));
    }

    private static String time(long ns) {
        return Instant.ofEpochSecond(
                        Math.floorDiv(ns, 1_000_000_000L), Math.floorMod(ns, 1_000_000_000L))
                .toString();
    }

    private static Map<String, Object> document(TrashRecord record) {
        Map<String, Object> document = Json.map();
        document.put("ino", String.valueOf(record.ino()));
        TreePath.put(document, "path", record.path());
        var before = record.before();
        document.put("type", before.type().name().toLowerCase(Locale.ROOT).replace('_', '-'));
        document.put("deletedAt", time(record.deletedNs()));
        document.put("expiresAt", time(record.expiresNs()));
        document.put("uid", Integer.toUnsignedLong(before.uid()));
        document.put("gid", Integer.toUnsignedLong(before.gid()));
        document.put("sizeBytes", before.size());
        return document;
    }

    private Outcome list(Call call) {
        String path = call.parameter("path");
        TrashSearch search = search(path == null ? "" : path);
        Position at = position(Listing.after(call));
        int limit = Listing.limit(call);
        List<Object> items = new ArrayList<>();
        int looked = 0;
        while (at != null && items.size() < limit && looked < MAX_LOOKED) {
            // No more than can be told: the page ends behind the last one looked at.
            Page page = master.namespace().trash(at, limit - items.size());
            page.records().stream()
                    .filter(search::finds)
                    .map(TrashResource::document)
                    .forEach(items::add);
            looked += page.records().size();
            at = page.next();
        }
        return Listing.page(items, at == null ? null : at.expiresNs() + " " + at.ino());
    }

    private static Position position(@Nullable String key) {
        if (key == null) {
            return Position.BEGIN;
        }
        String[] parts = key.split(" ", -1);
        try {
            if (parts.length == 2) {
                return new Position(Long.parseLong(parts[0]), Long.parseLong(parts[1]));
            }
        } catch (NumberFormatException e) {
            // Told below.
        }
        throw Problem.invalid("after", "'after' must be the 'next' of an earlier page.");
    }

    private Outcome sums(Call call) {
        TrashSums sums = master.namespace().trashSums();
        Map<String, Object> document = Json.map();
        document.put("files", sums.files());
        document.put("sizeBytes", sums.sizeBytes());
        document.put("storedBytes", sums.storedBytes());
        Deletions deletions = Deletions.of(master, call.parameter("mark"));
        document.put("awaitingDeletion", deletions.awaiting());
        document.put("mark", deletions.mark());
        return Outcome.of(document);
    }

    private static TrashSearch search(String path) {
        return TrashSearch.of(path.getBytes(StandardCharsets.UTF_8));
    }

    private static TrashSearch asked(Call call) {
        String path = call.bodyText("path");
        if (path == null || path.isEmpty()) {
            throw Problem.invalid("path", "'path' is missing: say where it was; '/' is all.");
        }
        return search(path);
    }

    private Plan restore(Call call) {
        TrashSearch search = asked(call);
        TrashBulk bulk = new TrashBulk(master, search);
        List<TrashBulk.Version> found = bulk.latest();
        Plan plan = new Plan(() -> bulk.restore(found));
        return plan.change(search.text(), null, TrashBulk.told(found))
                .warn("A name that is taken is not replaced: the file gets a suffix.");
    }

    private Plan purge(Call call) {
        TrashSearch search = asked(call);
        TrashBulk bulk = new TrashBulk(master, search);
        String after = call.bodyText("after");
        TrashBulk.Progress progress = bulk.progress(after);
        Plan plan = new Plan(() -> bulk.purge(progress));
        if (after != null) {
            return plan.change("trash of " + search.text(), "the rest", null);
        }
        TrashBulk.Count count = bulk.count();
        plan.change("trash of " + search.text(), count.told(), null)
                .warn("Nothing brings these files back.");
        if (count.heldBytes() > 0) {
            plan.warn(
                    "Snapshots hold "
                            + count.heldBytes()
                            + " bytes of it, all copies counted: these are not freed.");
        }
        return plan;
    }

    private static void requireDone(Reply reply) {
        if (reply instanceof Reply.Failure failure) {
            throw Problem.conflict("It was not done: " + failure.message() + ".");
        }
    }

    private TreePath directory(Call call) {
        TreePath found = TreePath.find(master.namespace(), call.bytes("path"));
        if (!found.inode().attributes().isDirectory()) {
            throw Problem.conflict(
                    "'" + found.text() + "' is not a directory: name the one that it is in.");
        }
        return found;
    }

    private Map<String, Object> retention(TreePath directory) {
        long seconds = master.namespace().trashKept(directory.inode().ino());
        Map<String, Object> document = Json.map();
        document.put("path", directory.text());
        document.put("seconds", seconds < 0 ? null : seconds);
        return document;
    }

    private Plan keep(Call call) {
        TreePath directory = directory(call);
        Long wanted = call.bodyNumber("seconds");
        long seconds = wanted == null ? -1 : wanted;
        Plan plan =
                new Plan(
                        () -> {
                            long ino = directory.inode().ino();
                            requireDone(
                                    Log.await(
                                            master.submit(
                                                    new TrashMutation.SetRetention(ino, seconds))));
                            return Outcome.of(retention(directory));
                        });
        plan.change(
                "seconds that " + directory.text() + " keeps what is removed",
                retention(directory).get("seconds"),
                wanted);
        return plan;
    }
}
