package io.cairn.admin.check;

import io.cairn.admin.api.Call;
import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Outcome;
import io.cairn.admin.api.Plan;
import io.cairn.admin.api.Problem;
import io.cairn.admin.api.Resource;
import io.cairn.admin.api.Role;
import io.cairn.admin.api.Route;
import io.cairn.admin.api.Shape;
import io.cairn.admin.resource.TreePath;
import io.cairn.master.MasterService;
import io.cairn.master.check.TreeScrub;
import io.cairn.master.check.TreeScrub.State;
import io.cairn.master.check.TreeScrub.Status;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code /scrub}: verification of the copies of a tree. */
public final class TreeScrubResource implements Resource {
    private static final Shape SHAPE =
            Shape.fields(
                    Field.of("state", Shape.choice(states()), "How far it is."),
                    Field.of("path", Shape.text(), "The file or directory."),
                    Field.maybe("startedAt", Shape.time(), "When it began."),
                    Field.maybe("finishedAt", Shape.time(), "When it ended."),
                    Field.of("files", Shape.count(), "Files whose chunks were verified."),
                    Field.of("chunks", Shape.count(), "Their chunks."),
                    Field.of("copies", Shape.count(), "Copies of these that were read."),
                    Field.of("bytes", Shape.count(), "Bytes of these copies."),
                    Field.of("bad", Shape.count(), "Copies that were bad."),
                    Field.of("mended", Shape.count(), "Of those, how many were replaced."),
                    Field.of("findings", Shape.items(Shape.text()), "Files with bad copies."),
                    Field.of(
                            "unchecked",
                            Shape.items(Shape.text()),
                            "Files that could not be verified, and why."),
                    Field.of("uncheckedFiles", Shape.count(), "All files not verified."),
                    Field.of("omitted", Shape.count(), "Such files besides those told."),
                    Field.maybe("error", Shape.text(), "Why it ended early."));

    private final MasterService master;
    private final TreeScrub scrub;

    /** Of the files of a cluster. */
    public TreeScrubResource(MasterService master, TreeScrub scrub) {
        this.master = master;
        this.scrub = scrub;
    }

    private static List<String> states() {
        return Arrays.stream(State.values()).map(TreeScrubResource::text).toList();
    }

    private static String text(State state) {
        return state.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public List<Route> routes() {
        return List.of(
                Route.of("GET", "/scrub", Role.READ, "The tree that is verified now, or was last.")
                        .answers(SHAPE)
                        .reads(_ -> Outcome.of(document())),
                Route.of(
                                "POST",
                                "/scrub/{path*}",
                                Role.OPERATE,
                                "Verifies all copies of a file, or of all files below a"
                                        + " directory, and replaces bad ones.")
                        .answers(SHAPE)
                        .changes(this::start));
    }

    private Plan start(Call call) {
        TreePath tree = TreePath.find(master.namespace(), call.bytes("path"));
        Status now = scrub.status();
        if (now.state() == State.RUNNING) {
            throw runs(now.path());
        }
        return new Plan(
                        () -> {
                            if (!scrub.start(tree.text(), tree.inode())) {
                                throw runs(scrub.status().path());
                            }
                            return Outcome.of(document());
                        })
                .change("verification of " + tree.text(), null, "running");
    }

    private static Problem runs(String path) {
        return Problem.conflict(
                "The copies below %s are being verified; GET /scrub tells how far it is."
                        .formatted(path));
    }

    private Map<String, Object> document() {
        Status status = scrub.status();
        Map<String, Object> document = Json.map();
        document.put("state", text(status.state()));
        document.put("path", status.path());
        document.put("startedAt", time(status.startedMs()));
        document.put("finishedAt", time(status.finishedMs()));
        document.put("files", status.files());
        document.put("chunks", status.found().chunks());
        document.put("copies", status.found().copies());
        document.put("bytes", status.found().bytes());
        document.put("bad", status.found().bad());
        document.put("mended", status.found().mended());
        document.put("findings", status.findings());
        document.put("unchecked", status.unchecked());
        document.put("uncheckedFiles", status.uncheckedFiles());
        document.put("omitted", status.omitted());
        document.put("error", status.error());
        return document;
    }

    private static @Nullable String time(long ms) {
        return ms == 0 ? null : Instant.ofEpochMilli(ms).toString();
    }
}
