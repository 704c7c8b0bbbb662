package io.cairn.admin.watch;

import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Shape;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * How a cluster is, in one sentence, with everything that is not as it should be and what to do.
 * Made for one document; not thread-safe.
 */
public final class Health {
    public static final Shape SHAPE =
            Shape.fields(
                    Field.of("level", Shape.choice(Level.texts()), "The worst of the reasons."),
                    Field.of("sentence", Shape.text(), "How the cluster is, in one sentence."),
                    Field.of(
                            "reasons",
                            Shape.items(
                                    Shape.fields(
                                            Field.of(
                                                    "level",
                                                    Shape.choice(Level.texts()),
                                                    "How bad it is."),
                                            Field.of("what", Shape.text(), "What is wrong."),
                                            Field.of("remedy", Shape.text(), "What to do."))),
                            "What is not as it should be, the worst first."));

    private final List<Reason> reasons = new ArrayList<>();

    /** The reason that is told while one master goes on with the state it holds. */
    public static String recovers(String id) {
        return ("Master %s recovers the cluster from what it holds: what only others had"
                        + " acknowledged is lost.")
                .formatted(id);
    }

    /** How bad something is. */
    enum Level {
        OK,
        WARNING,
        CRITICAL;

        String text() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }

        static List<String> texts() {
            return List.of("ok", "warning", "critical");
        }
    }

    private record Reason(Level level, String what, String remedy) {}

    /** Some data cannot be used now, or may be lost. */
    public void critical(String what, String remedy) {
        reasons.add(new Reason(Level.CRITICAL, what, remedy));
    }

    /** All works, but one more failure might not be survived. */
    public void warning(String what, String remedy) {
        reasons.add(new Reason(Level.WARNING, what, remedy));
    }

    public Map<String, Object> toJson() {
        reasons.sort(Comparator.comparing(Reason::level).reversed());
        Level worst = reasons.isEmpty() ? Level.OK : reasons.getFirst().level;
        Map<String, Object> document = Json.map();
        document.put("level", worst.text());
        document.put("sentence", sentence());
        List<Object> list = new ArrayList<>();
        for (Reason reason : reasons) {
            Map<String, Object> each = Json.map();
            each.put("level", reason.level.text());
            each.put("what", reason.what);
            each.put("remedy", reason.remedy);
            list.add(each);
        }
        document.put("reasons", list);
        return document;
    }

    private String sentence() {
        if (reasons.isEmpty()) {
            return "All is well.";
        }
        String first = reasons.getFirst().what;
        String rest =
                switch (reasons.size()) {
                    case 1 -> "";
                    case 2 -> " One more thing needs a look.";
                    default -> " " + (reasons.size() - 1) + " more things need a look.";
                };
        return first + rest;
    }
}
