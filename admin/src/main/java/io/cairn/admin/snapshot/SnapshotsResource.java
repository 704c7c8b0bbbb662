package io.cairn.admin.snapshot;

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
import io.cairn.admin.resource.InodeDocument;
import io.cairn.admin.resource.TreePath;
import io.cairn.base.FsException;
import io.cairn.cluster.PastInode;
import io.cairn.fs.Name;
import io.cairn.master.MasterService;
import io.cairn.metadata.snapshot.SnapshotRecord;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** {@code /snapshots}: the states of directories that are kept. */
public final class SnapshotsResource implements Resource {
    private static final Shape SNAPSHOT =
            Shape.fields(
                    Field.of("number", Shape.count(), "Names it in the API."),
                    Field.of("directory", Shape.text(), "The path of the directory now."),
                    Field.of("name", Shape.text(), "In its '.snapshots'."),
                    Field.of("createdAt", Shape.time(), "When it was ordered."),
                    Field.of(
                            "state",
                            Shape.choice(List.of("begun", "live", "dropped")),
                            "Dropped ones cannot be read, and go when they are swept."));

    private final MasterService master;

    public SnapshotsResource(MasterService master) {
        this.master = master;
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.of("GET", "/snapshots", Role.READ, "Snapshots.")
                        .with(Parameter.paging())
                        .answers(Shape.page(SNAPSHOT))
                        .reads(
                                call ->
                                        Listing.page(
                                                call,
                                                master.namespace().snapshots().stream()
                                                        .filter(each -> !each.isClone())
                                                        .toList(),
                                                SnapshotsResource::key,
                                                this::document)),
                Route.of("POST", "/snapshots", Role.ADMIN, "Takes a snapshot of a directory.")
                        .takes(
                                Field.of("directory", Shape.text(), "Its path."),
                                Field.of("name", Shape.text(), "1 to 255 bytes, without '/'."))
                        .answers(SNAPSHOT)
                        .changes(this::take),
                new SnapshotChanges(master).route(),
                new SnapshotSpace(master, this::directory).route(),
                Route.of("DELETE", "/snapshots/{number}", Role.ADMIN, "Drops a snapshot.")
                        .changes(this::drop));
    }

    private static String key(SnapshotRecord snapshot) {
        return "%05d".formatted(snapshot.number());
    }

    private Map<String, Object> document(SnapshotRecord snapshot) {
        Map<String, Object> document = Json.map();
        document.put("number", snapshot.number());
        document.put("directory", directory(snapshot));
        document.put("name", snapshot.name().toString());
        document.put("createdAt", InodeDocument.time(snapshot.timeNs()));
        document.put("state", snapshot.state().name().toLowerCase(Locale.ROOT));
        return document;
    }

    private String directory(SnapshotRecord snapshot) {
        Reply reply = master.namespace().read(0, new Query.GetPath(snapshot.root()));
        return reply instanceof Reply.BytesReply path
                ? TreePath.text(path.bytes())
                : "inode " + snapshot.root();
    }

    private Plan take(Call call) {
        Name name = name(String.valueOf(call.bodyText("name")));
        byte[] path = String.valueOf(call.bodyText("directory")).getBytes(StandardCharsets.UTF_8);
        TreePath place = TreePath.find(master.namespace(), path);
        if (PastInode.isPast(place.inode().ino())) {
            throw Problem.invalid("directory", "'" + place.text() + "' is in a snapshot itself.");
        }
        if (!place.inode().attributes().isDirectory()) {
            throw Problem.invalid(
                    "directory",
                    "'"
                            + place.text()
                            + "' is not a directory: take a snapshot of the one it is"
                            + " in.");
        }
        long root = place.inode().ino();
        for (SnapshotRecord each : master.namespace().snapshots()) {
            if (each.isLive() && each.root() == root && each.name().equals(name)) {
                throw Problem.conflict(
                        "'%s' has a snapshot '%s' already: drop it, or take another name."
                                .formatted(place.text(), name));
            }
        }
        Plan plan =
                new Plan(
                        () -> {
                            SnapshotRecord taken = Log.await(master.snapshots().take(root, name));
                            return Outcome.created(document(taken), "/snapshots/" + taken.number());
                        });
        return plan.change("snapshot " + name + " of " + place.text(), null, "taken");
    }

    private static Name name(String text) {
        try {
            Name name = Name.of(text);
            if (SnapshotRecord.isForClone(name)) {
                throw Problem.invalid(
                        "name",
                        "'%s' is like the names of snapshots that are taken for clones, and dropped"
                                        .formatted(text)
                                + " after them: take another one.");
            }
            return name;
        } catch (FsException e) {
            throw Problem.invalid("name", "'name' cannot be that: " + e.getMessage() + ".");
        }
    }

    private Plan drop(Call call) {
        String number = call.text("number");
        for (SnapshotRecord each : master.namespace().snapshots()) {
            boolean isThere = each.state() != SnapshotRecord.State.DROPPED && !each.isClone();
            if (isThere && Integer.toString(each.number()).equals(number)) {
                Plan plan =
                        new Plan(
                                () -> {
                                    Log.await(master.snapshots().drop(each));
                                    return Outcome.done();
                                });
                plan.change("snapshot " + each.name() + " of " + directory(each), "kept", null);
                return plan.basedOn(List.of(number, each.timeNs()));
            }
        }
        throw Problem.notFound("There is no snapshot " + number + ": 'GET /snapshots' lists them.");
    }
}
