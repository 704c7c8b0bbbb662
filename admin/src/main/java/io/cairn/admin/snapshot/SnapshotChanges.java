package io.cairn.admin.snapshot;

import io.cairn.admin.api.Call;
import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Listing;
import io.cairn.admin.api.Outcome;
import io.cairn.admin.api.Parameter;
import io.cairn.admin.api.Problem;
import io.cairn.admin.api.Role;
import io.cairn.admin.api.Route;
import io.cairn.admin.api.Shape;
import io.cairn.admin.resource.InodeDocument;
import io.cairn.admin.resource.TreePath;
import io.cairn.master.MasterService;
import io.cairn.metadata.diff.PathChange;
import io.cairn.metadata.diff.SnapshotDiff;
import io.cairn.metadata.snapshot.SnapshotRecord;
import io.cairn.metadata.state.Moment;
import io.cairn.metadata.state.StoredState;
import java.lang.ref.SoftReference;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** {@code /snapshots/{number}/changes}: what differs since a snapshot. */
final class SnapshotChanges {
    /** More make no sense to a reader, and would take memory of the master. */
    private static final int MAX_CHANGES = 200_000;

    private static final Parameter UNTIL =
            new Parameter(
                    "until",
                    Shape.whole(0, Integer.MAX_VALUE),
                    "The number of a later snapshot; now unless told.");

    private static final Shape CHANGE =
            Shape.fields(
                    Field.of(
                            "change",
                            Shape.choice(List.of("added", "removed", "changed", "moved")),
                            "What happened to it."),
                    Field.of("type", Shape.text(), "Of the inode."),
                    Field.of(
                            "path",
                            Shape.text(),
                            "Below the directory: in the later state, or where it was removed."),
                    Field.maybe("pathHex", Shape.text(), "The path if it is not UTF-8."),
                    Field.maybe("before", Shape.text(), "Where it was moved from."),
                    Field.maybe("beforeHex", Shape.text(), "That path if it is not UTF-8."));

    private final MasterService master;

    /** What the last reader was told first, so that all pages are of one moment. */
    private volatile SoftReference<Compared> last = new SoftReference<>(null);

    /** What two states differ in. */
    private record Compared(int since, long until, SnapshotDiff.Outcome outcome) {}

    SnapshotChanges(MasterService master) {
        this.master = master;
    }

    Route route() {
        return Route.of("GET", "/snapshots/{number}/changes", Role.READ, "Changes since it.")
                .with(Parameter.paging())
                .with(UNTIL)
                .answers(Shape.page(CHANGE))
                .reads(this::answer);
    }

    private Outcome answer(Call call) {
        int number = call.number("number");
        long until = call.parameter("until", 0);
        Compared known = last.get();
        boolean goesOn = Listing.after(call) != null;
        Compared found =
                goesOn && known != null && known.since == number && known.until == until
                        ? known
                        : new Compared(number, until, compare(number, until));
        last = new SoftReference<>(found);
        return Listing.page(
                call, found.outcome.changes(), SnapshotChanges::key, SnapshotChanges::document);
    }

    private SnapshotDiff.Outcome compare(int number, long until) {
        SnapshotDiff.Outcome found;
        // One state, though mutations go on meanwhile; what is still live now was kept in it.
        try (StoredState state = master.namespace().snapshot()) {
            SnapshotRecord since = live(number);
            Moment moment = until == 0 ? Moment.NOW : live((int) until).moment();
            if (moment.version() < since.version()) {
                throw Problem.invalid(
                        "until", "Snapshot " + until + " is older: ask for the changes since it.");
            }
            found = new SnapshotDiff(state, since, moment, MAX_CHANGES).compare();
        }
        if (!found.isComplete()) {
            throw Problem.conflict(
                    "More than %d paths differ: compare snapshots that are closer to each other."
                            .formatted(MAX_CHANGES));
        }
        return found;
    }

    private SnapshotRecord live(int number) {
        for (SnapshotRecord each : master.namespace().snapshots()) {
            if (each.number() == number && each.isLive()) {
                return each;
            }
        }
        throw Problem.notFound(
                "There is no snapshot " + number + " to read: 'GET /snapshots' lists them.");
    }

    private static String key(PathChange change) {
        return new String(change.path(), StandardCharsets.ISO_8859_1) + "\0" + change.kind();
    }

    private static Map<String, Object> document(PathChange change) {
        Map<String, Object> document = Json.map();
        document.put("change", change.kind().name().toLowerCase(Locale.ROOT));
        document.put("type", InodeDocument.text(change.type()));
        TreePath.put(document, "path", change.path());
        byte[] before = change.before();
        if (before != null) {
            TreePath.put(document, "before", before);
        }
        return document;
    }
}
