package io.cairn.cluster;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What an operator says about a chunk server. {@code rack} and {@code zone} are what may fail as a
 * whole. Storage classes may ask for any label ({@link Expression}).
 *
 * @param values each key once, in order; at most {@value #MOST}
 */
public record Labels(SortedMap<String, String> values) {
    /** None. */
    public static final Labels NONE = new Labels(new TreeMap<>());

    /** Labels that a server may have. */
    public static final int MOST = 4;

    /** The key of what stands in one cabinet. */
    public static final String RACK = "rack";

    /** The key of what is in one room or building. */
    public static final String ZONE = "zone";

    private static final Pattern WORD = Pattern.compile("[A-Za-z0-9._/-]{1,63}");

    /**
     * Checks and copies.
     *
     * @throws IllegalArgumentException with what is wrong, and what would be right
     */
    public Labels {
        values = Collections.unmodifiableSortedMap(new TreeMap<>(values));
        if (values.size() > MOST) {
            throw new IllegalArgumentException(
                    "a chunk server has at most %d labels, not %d".formatted(MOST, values.size()));
        }
        values.forEach(Labels::check);
    }

    private static void check(String key, String value) {
        String label = key + "=" + value;
        if (!WORD.matcher(key).matches() || !WORD.matcher(value).matches()) {
            throw new IllegalArgumentException(
                    "label '"
                            + label
                            + "' is not KEY=VALUE, as in rack=r1: both have 1 to 63 letters, digits"
                            + " and . _ / -");
        }
        for (String known : List.of(RACK, ZONE)) {
            if (!key.equals(known) && isNear(key, known)) {
                throw new IllegalArgumentException(
                        "label '%s': did you mean %s=%s?".formatted(label, known, value));
            }
        }
    }

    /** Whether a key differs by case or by one letter. */
    private static boolean isNear(String key, String known) {
        String word = key.toLowerCase(Locale.ROOT);
        int same = 0;
        while (same < Math.min(word.length(), known.length())
                && word.charAt(same) == known.charAt(same)) {
            same++;
        }
        String rest = word.substring(same);
        String knownRest = known.substring(same);
        return rest.equals(knownRest)
                || (!rest.isEmpty() && rest.substring(1).equals(knownRest))
                || (!knownRest.isEmpty() && knownRest.substring(1).equals(rest))
                || (!rest.isEmpty()
                        && !knownRest.isEmpty()
                        && rest.substring(1).equals(knownRest.substring(1)));
    }

    /**
     * Reads labels as operators write them.
     *
     * @param labels each as {@code KEY=VALUE}
     * @throws IllegalArgumentException with what is wrong, and what would be right
     */
    public static Labels parse(List<String> labels) {
        SortedMap<String, String> values = new TreeMap<>();
        for (String label : labels) {
            int at = label.indexOf('=');
            if (at < 0) {
                throw new IllegalArgumentException(
                        "label '" + label + "' is not KEY=VALUE, as in rack=r1");
            }
            String before = values.put(label.substring(0, at), label.substring(at + 1));
            if (before != null) {
                throw new IllegalArgumentException(
                        "label '%s' is given twice: %s and %s"
                                .formatted(
                                        label.substring(0, at), before, label.substring(at + 1)));
            }
        }
        return new Labels(values);
    }

    /**
     * Which chunk servers may have the copies. One list of terms is for all copies. Several are for
     * one copy each, in their order; further copies may be anywhere.
     *
     * @param isSaid false when nothing is asked for: as the parent, or else any server
     * @param lists at least one; a server fits a list when all its terms hold, so that any fits an
     *     empty one; the terms of each in the order of their words, each once
     */
    public record Expression(boolean isSaid, List<List<Term>> lists) {
        /** Says nothing. No pool is so. */
        public static final Expression UNSAID = new Expression(false, List.of(List.of()));

        /** Any server. */
        public static final Expression ANY = new Expression(true, List.of(List.of()));

        /** Terms that a list may have. */
        public static final int MOST_TERMS = 8;

        /** Lists that an expression may have: more copies than a pool has are not asked for. */
        public static final int MOST_LISTS = 15;

        private static final String ANY_WORD = "any";

        /** Copies. */
        public Expression {
            lists = lists.stream().map(List::copyOf).toList();
        }

        /**
         * Reads lists with semicolons between them, or one. A list is terms with commas between
         * them: {@code KEY=VALUE}, {@code KEY} for any value of it, either with {@code !} for
         * servers without it; or {@code any}.
         *
         * @throws IllegalArgumentException with what is wrong, and where
         */
        public static Expression parse(String text) {
            List<List<Term>> lists = new ArrayList<>();
            int at = 0;
            for (String part : text.split(";", -1)) {
                lists.add(part.strip().equals(ANY_WORD) ? List.of() : list(text, part, at));
                at += part.length() + 1;
            }
            if (lists.size() > MOST_LISTS) {
                throw new IllegalArgumentException(
                        "labels '%s' are for %d copies: %d at most"
                                .formatted(text, lists.size(), MOST_LISTS));
            }
            return lists.stream().allMatch(List::isEmpty) ? ANY : new Expression(true, lists);
        }

        private static List<Term> list(String text, String list, int from) {
            SortedMap<String, Term> terms = new TreeMap<>();
            int at = from;
            for (String part : list.split(",", -1)) {
                Term term = Term.parse(part.strip());
                if (term == null) {
                    int place = at + part.length() - part.stripLeading().length() + 1;
                    throw new IllegalArgumentException(
                            ("labels '%s', character %d: '%s' is no term: write KEY=VALUE, KEY,"
                                            + " !KEY=VALUE or !KEY, with commas between them, as in"
                                            + " disk=ssd,!rack=r1")
                                    .formatted(text, place, part.strip()));
                }
                terms.put(term.text(), term);
                at += part.length() + 1;
            }
            if (terms.size() > MOST_TERMS) {
                throw new IllegalArgumentException(
                        "labels '%s' are %d terms: %d at most"
                                .formatted(list.strip(), terms.size(), MOST_TERMS));
            }
            return List.copyOf(terms.values());
        }

        /** This one, or ANY when nothing is said. */
        public Expression orAny() {
            return isSaid ? this : ANY;
        }

        /** Whether every server will do for every copy. */
        public boolean isAny() {
            return lists.stream().allMatch(List::isEmpty);
        }

        /** Whether there is a list for each copy, and not one for all. */
        public boolean isPerCopy() {
            return lists.size() > 1;
        }

        /**
         * The same for chunks with so many copies: of several lists as many, those that lack are
         * empty.
         *
         * @param copies from 1
         */
        public Expression ofCopies(int copies) {
            if (!isPerCopy() || lists.size() == copies) {
                return this;
            }
            List<List<Term>> some =
                    new ArrayList<>(lists.subList(0, Math.min(copies, lists.size())));
            while (some.size() < copies) {
                some.add(List.of());
            }
            return new Expression(isSaid, some);
        }

        /** Whether a server with these labels may have a copy, if others have the right ones. */
        public boolean admits(Labels labels) {
            return lists.stream().anyMatch(list -> fits(list, labels));
        }

        private static boolean fits(List<Term> list, Labels labels) {
            return list.stream().allMatch(term -> term.holds(labels));
        }

        /** Whether a target may have a copy; without a server it may where any may. */
        public boolean admits(ClusterMap map, int targetId) {
            if (isAny()) {
                return true;
            }
            ChunkServer server = map.serverOfTarget(targetId);
            return server != null && admits(server.labels());
        }

        /** Which lists a server with these labels fits: bit {@code i} for the one at {@code i}. */
        public int fitting(Labels labels) {
            int bits = 0;
            for (int i = 0; i < lists.size(); i++) {
                bits |= fits(lists.get(i), labels) ? 1 << i : 0;
            }
            return bits;
        }

        /** Each list, as if it were for all copies. */
        public List<Expression> each() {
            return lists.stream().map(list -> new Expression(isSaid, List.of(list))).toList();
        }

        private static String text(List<Term> list) {
            return list.isEmpty()
                    ? ANY_WORD
                    : String.join(",", list.stream().map(Term::text).toList());
        }

        /** As operators write it. */
        public String text() {
            return isAny()
                    ? ANY_WORD
                    : String.join("; ", lists.stream().map(Expression::text).toList());
        }

        /** The same; null when nothing is said. */
        public @Nullable String said() {
            return isSaid ? text() : null;
        }
    }

    /**
     * A part of an expression.
     *
     * @param value that the label has; null: any
     * @param isNot whether it holds for servers without such a label
     */
    public record Term(String key, @Nullable String value, boolean isNot) {
        static @Nullable Term parse(String text) {
            boolean isNot = text.startsWith("!");
            String label = isNot ? text.substring(1) : text;
            int at = label.indexOf('=');
            String key = at < 0 ? label : label.substring(0, at);
            String value = at < 0 ? null : label.substring(at + 1);
            boolean isOne =
                    WORD.matcher(key).matches() && (value == null || WORD.matcher(value).matches());
            return isOne ? new Term(key, value, isNot) : null;
        }

        /** Whether it is so for a server with these labels. */
        public boolean holds(Labels labels) {
            String found = labels.get(key);
            boolean has = found != null && (value == null || value.equals(found));
            return has != isNot;
        }

        /** As operators write it. */
        public String text() {
            return (isNot ? "!" : "") + key + (value == null ? "" : "=" + value);
        }
    }

    /** The value of a key, or null. */
    public @Nullable String get(String key) {
        return values.get(key);
    }

    /** As operators write them: {@code rack=r1 zone=z1}; empty without any. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, String> each : values.entrySet()) {
            text.append(text.isEmpty() ? "" : " ").append(each.getKey()).append('=');
            text.append(each.getValue());
        }
        return text.toString();
    }
}
