package io.cairn.admin.api;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The effect of a change, decided and checked but not done. With {@code ?plan=true} it is the
 * answer; else it is carried out. So a plan never differs from what is done.
 */
public final class Plan {
    private final List<Map<String, Object>> changes = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    private final Supplier<Outcome> action;
    private @Nullable Object basis;
    private boolean isNotedBefore;

    /**
     * A plan without changes yet.
     *
     * @param action carries it out; called at most once, on a thread that may block. It must change
     *     all or nothing, and throw a {@link Problem} when it cannot
     */
    public Plan(Supplier<Outcome> action) {
        this.action = action;
    }

    /**
     * Adds a change.
     *
     * @param what a noun phrase: {@code session 00000000000000a1}
     * @param from a JSON value, null when there was nothing
     * @param to a JSON value, null when nothing is left
     */
    public Plan change(String what, @Nullable Object from, @Nullable Object to) {
        Map<String, Object> change = new LinkedHashMap<>();
        change.put("what", what);
        change.put("from", from);
        change.put("to", to);
        changes.add(change);
        return this;
    }

    /** Adds something that the caller should know before it is done: a sentence. */
    public Plan warn(String sentence) {
        warnings.add(sentence);
        return this;
    }

    /**
     * Says what the plan depends on, when that is more or less than its changes: the plan has gone
     * stale when this differs.
     */
    public Plan basedOn(Object json) {
        basis = json;
        return this;
    }

    /** Has the audit log told before it is done: this master may not be able to afterwards. */
    public Plan noteBefore() {
        isNotedBefore = true;
        return this;
    }

    boolean isNotedBefore() {
        return isNotedBefore;
    }

    /** Names the state that the plan was made for. */
    String etag() {
        return Json.etag(basis == null ? changes : basis);
    }

    /** The document that tells the plan. */
    Map<String, Object> toJson() {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("changes", changes);
        document.put("warnings", warnings);
        document.put("etag", etag());
        return document;
    }

    /** One line for the audit log. */
    String summary() {
        StringBuilder text = new StringBuilder();
        for (Map<String, Object> change : changes) {
            text.append(text.isEmpty() ? "" : "; ");
            text.append(change.get("what")).append(": ");
            text.append(change.get("from")).append(" -> ").append(change.get("to"));
            if (text.length() > 1000) {
                return text.substring(0, 1000) + "...";
            }
        }
        return text.toString();
    }

    Outcome carryOut() {
        return action.get();
    }

    /** The shape of the document that tells a plan. */
    public static Shape shape() {
        return Shape.fields(
                Field.of(
                        "changes",
                        Shape.items(
                                Shape.fields(
                                        Field.of("what", Shape.text(), "What changes."),
                                        Field.maybe("from", new Shape.Anything(), "What it is."),
                                        Field.maybe(
                                                "to", new Shape.Anything(), "What it becomes."))),
                        "What would change."),
                Field.of("warnings", Shape.items(Shape.text()), "What to know before."),
                Field.of("etag", Shape.text(), "Give it in If-Match to do exactly this, or 412."));
    }
}
