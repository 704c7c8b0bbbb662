package io.cairn.admin.resource;

import io.cairn.admin.api.Call;
import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Log;
import io.cairn.admin.api.Outcome;
import io.cairn.admin.api.Parameter;
import io.cairn.admin.api.Plan;
import io.cairn.admin.api.Problem;
import io.cairn.admin.api.Resource;
import io.cairn.admin.api.Role;
import io.cairn.admin.api.Route;
import io.cairn.admin.api.Shape;
import io.cairn.base.Errno;
import io.cairn.base.Spelling;
import io.cairn.fs.FileSystem;
import io.cairn.master.MasterService;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.TreeMutation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code /exports}: what NFS gateways export, lines of exports(5) in an attribute of the root, as
 * {@code cairn nfs exports} keeps them. A change is made only to the list it was decided on.
 */
public final class ExportsResource implements Resource {
    private static final byte[] ATTRIBUTE =
            "trusted.cairn.exports".getBytes(StandardCharsets.US_ASCII);

    private static final Shape SHAPE =
            Shape.fields(
                    Field.of(
                            "set",
                            Shape.flag(),
                            "Whether there is a list; without one a gateway exports / to its own"
                                    + " machine."),
                    Field.of(
                            "items",
                            Shape.items(
                                    Shape.fields(
                                            Field.of("path", Shape.text(), "What is exported."),
                                            Field.of("line", Shape.text(), "As in exports(5)."))),
                            "In the order of the list."));

    private final MasterService master;
    private final ExportSyntax syntax;

    /** The exports of a cluster. */
    public ExportsResource(MasterService master, ExportSyntax syntax) {
        this.master = master;
        this.syntax = syntax;
    }

    @Override
    public List<Route> routes() {
        Shape line = new Shape.Text(4096);
        return List.of(
                Route.of("GET", "/exports", Role.READ, "What NFS gateways export.")
                        .answers(SHAPE)
                        .reads(_ -> Outcome.of(document())),
                Route.of("PUT", "/exports", Role.ADMIN, "Replaces the whole list of exports.")
                        .takes(Field.of("lines", Shape.items(line), "Lines of exports(5)."))
                        .answers(SHAPE)
                        .changes(this::replace),
                Route.of("POST", "/exports", Role.ADMIN, "Adds an export, or replaces its line.")
                        .takes(Field.of("line", line, "A line of exports(5)."))
                        .answers(SHAPE)
                        .changes(this::add),
                Route.of("DELETE", "/exports", Role.ADMIN, "Removes the export of a path.")
                        .with(new Parameter("path", Shape.text(), "What is no longer exported."))
                        .answers(SHAPE)
                        .changes(this::remove));
    }

    private byte @Nullable [] stored() {
        Reply reply =
                master.namespace().read(0, new Query.GetXattr(FileSystem.ROOT_INO, ATTRIBUTE));
        if (reply instanceof Reply.Failure failure && failure.errno() == Errno.ENODATA) {
            return null;
        }
        if (reply instanceof Reply.BytesReply bytes) {
            return bytes.bytes();
        }
        throw new IllegalStateException("exports cannot be read: " + reply);
    }

    private static List<String> lines(byte @Nullable [] stored) {
        return stored == null
                ? List.of()
                : new String(stored, StandardCharsets.UTF_8).lines().toList();
    }

    private Map<String, Object> document() {
        byte[] stored = stored();
        List<Object> items = new ArrayList<>();
        for (String line : lines(stored)) {
            Map<String, Object> item = Json.map();
            item.put("path", pathOf(line, "line"));
            item.put("line", line);
            items.add(item);
        }
        Map<String, Object> document = Json.map();
        document.put("set", stored != null);
        document.put("items", items);
        return document;
    }

    private void check(String line, String field) {
        try {
            syntax.check(line);
        } catch (IllegalArgumentException e) {
            throw Problem.invalid(field, String.valueOf(e.getMessage()));
        }
    }

    private String pathOf(String line, String field) {
        try {
            return syntax.pathOf(line);
        } catch (IllegalArgumentException e) {
            throw Problem.invalid(field, String.valueOf(e.getMessage()));
        }
    }

    private Plan replace(Call call) {
        List<String> after = new ArrayList<>();
        if (call.body().get("lines") instanceof List<?> lines) {
            lines.forEach(line -> after.add(String.valueOf(line).strip()));
        }
        byte[] stored = stored();
        List<String> known = lines(stored);
        after.stream().filter(line -> !known.contains(line)).forEach(line -> check(line, "lines"));
        return change(stored, after, "lines");
    }

    private Plan add(Call call) {
        String line = String.valueOf(call.bodyText("line")).strip();
        check(line, "line");
        String path = pathOf(line, "line");
        byte[] stored = stored();
        List<String> after = new ArrayList<>(lines(stored));
        after.removeIf(each -> pathOf(each, "line").equals(path));
        after.add(line);
        return change(stored, after, "line");
    }

    private Plan remove(Call call) {
        String path = call.parameter("path");
        if (path == null) {
            throw Problem.invalid("path", "Parameter 'path' is missing: say what to remove.");
        }
        byte[] stored = stored();
        List<String> after = new ArrayList<>(lines(stored));
        if (!after.removeIf(each -> pathOf(each, "path").equals(path))) {
            List<String> known = after.stream().map(each -> pathOf(each, "path")).toList();
            throw Problem.notFound("'" + path + "' is not exported." + Spelling.hint(known, path));
        }
        return change(stored, after, "path");
    }

    /** From the list that this was decided on, so that no change of another one is lost. */
    private Plan change(byte @Nullable [] before, List<String> after, String field) {
        try {
            syntax.check(after.stream().map(line -> pathOf(line, field)).toList());
        } catch (IllegalArgumentException e) {
            throw Problem.invalid(field, String.valueOf(e.getMessage()));
        }
        Plan plan = new Plan(() -> store(before, after));
        plan.change("exports", before == null ? null : lines(before), after);
        plan.warn("Gateways follow within two seconds; clients lose what is no longer exported.");
        return plan;
    }

    private Outcome store(byte @Nullable [] before, List<String> after) {
        StringBuilder text = new StringBuilder();
        after.forEach(line -> text.append(line).append('\n'));
        byte[] value = text.toString().getBytes(StandardCharsets.UTF_8);
        TreeMutation change =
                before == null
                        ? new TreeMutation.SetXattr(
                                FileSystem.ROOT_INO, ATTRIBUTE, value, FileSystem.XATTR_CREATE)
                        : new TreeMutation.ReplaceXattr(
                                FileSystem.ROOT_INO, ATTRIBUTE, before, value);
        if (Log.await(master.change(change)) instanceof Reply.Failure failure) {
            throw switch (failure.errno()) {
                case ECANCELED, EEXIST ->
                        Problem.stale("Somebody else changed the list meanwhile: look again.");
                default -> Problem.conflict("The list cannot be stored: " + failure.message());
            };
        }
        return Outcome.of(document());
    }
}
