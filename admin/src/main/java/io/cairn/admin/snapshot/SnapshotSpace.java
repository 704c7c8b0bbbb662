package io.cairn.admin.snapshot;

import io.cairn.admin.api.Call;
import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Outcome;
import io.cairn.admin.api.Problem;
import io.cairn.admin.api.Role;
import io.cairn.admin.api.Route;
import io.cairn.admin.api.Shape;
import io.cairn.admin.resource.InodeDocument;
import io.cairn.master.MasterService;
import io.cairn.metadata.snapshot.HeldSpace;
import io.cairn.metadata.snapshot.SnapshotRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.function.Function;

/** {@code /snapshot-space}: what snapshots hold, counted when somebody asks. */
final class SnapshotSpace {
    /** More would take minutes. */
    private static final long MAX_RECORDS = 10_000_000;

    private static final Shape SPACE =
            Shape.fields(
                    Field.of(
                            "heldBytes",
                            Shape.count(),
                            "What all snapshots show and no file has any more, with all copies."),
                    Field.of(
                            "snapshots",
                            Shape.items(
                                    Shape.fields(
                                            Field.of("number", Shape.count(), "Of the snapshot."),
                                            Field.of("directory", Shape.text(), "Its path now."),
                                            Field.of("name", Shape.text(), "In '.snapshots'."),
                                            Field.of("createdAt", Shape.time(), "When."),
                                            Field.of(
                                                    "heldBytes",
                                                    Shape.count(),
                                                    "What it alone holds: dropping it frees"
                                                            + " that."))),
                            "All that can be read, by number."));

    private final MasterService master;
    private final Function<SnapshotRecord, String> directory;
    private final Semaphore turn = new Semaphore(1);

    /**
     * The space of the snapshots of a master.
     *
     * @param directory the path of a snapshot's directory
     */
    SnapshotSpace(MasterService master, Function<SnapshotRecord, String> directory) {
        this.master = master;
        this.directory = directory;
    }

    Route route() {
        return Route.of("GET", "/snapshot-space", Role.READ, "Space that snapshots hold.")
                .answers(SPACE)
                .reads(this::answer);
    }

    private Outcome answer(Call call) {
        if (!turn.tryAcquire()) {
            throw Problem.conflict("The space is being counted for another caller: ask again.");
        }
        try {
            return Outcome.of(document(count()));
        } finally {
            turn.release();
        }
    }

    private HeldSpace.Outcome count() {
        HeldSpace.Outcome found = HeldCount.of(master, MAX_RECORDS, () -> false);
        if (!found.isComplete()) {
            throw Problem.conflict(
                    "Snapshots keep more than %d inodes: that is too much to count; drop old ones."
                            .formatted(MAX_RECORDS));
        }
        return found;
    }

    private Map<String, Object> document(HeldSpace.Outcome found) {
        List<Map<String, Object>> items = new ArrayList<>();
        for (SnapshotRecord snapshot : master.namespace().snapshots()) {
            Long bytes = found.aloneBytes().get(snapshot.number());
            if (bytes != null && snapshot.isLive()) {
                Map<String, Object> item = Json.map();
                item.put("number", snapshot.number());
                item.put("directory", directory.apply(snapshot));
                item.put("name", snapshot.name().toString());
                item.put("createdAt", InodeDocument.time(snapshot.timeNs()));
                item.put("heldBytes", bytes);
                items.add(item);
            }
        }
        Map<String, Object> document = Json.map();
        document.put("heldBytes", found.totalBytes());
        document.put("snapshots", items);
        return document;
    }
}
