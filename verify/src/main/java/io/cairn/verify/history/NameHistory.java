package io.cairn.verify.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Operations on a few names of one directory, with their intervals and answers, and the question
 * whether some order of them explains all answers: each takes effect at one moment between its
 * begin and its end. An operation without an answer may take effect at any time after its begin, or
 * never. The search is that of Wing and Gong, with Lowe's memory of what was tried. Recording is
 * thread-safe.
 */
public final class NameHistory {
    /** More operations are not recorded. */
    public static final int MAX_OPERATIONS = 63;

    private static final long NEVER = Long.MAX_VALUE;

    /** What is done. Names are numbers from 0 to 62. */
    public enum Kind {
        CREATE,
        REMOVE,
        RENAME,
        LIST
    }

    /** One operation. */
    public static final class Operation {
        private final Kind kind;
        private final int name;
        private final int other;
        private final String by;
        private long beginNs;
        private long endNs = NEVER;
        private boolean success;
        private long listed;

        private Operation(Kind kind, int name, int other, String by, long beginNs) {
            this.kind = kind;
            this.name = name;
            this.other = other;
            this.by = by;
            this.beginNs = beginNs;
        }

        private boolean isAnswered() {
            return endNs != NEVER;
        }

        /** The names afterwards, as bits; negative when it cannot have had this answer. */
        private long after(long names) {
            long bit = 1L << name;
            boolean there = (names & bit) != 0;
            long changed =
                    switch (kind) {
                        case CREATE -> there ? -1 : names | bit;
                        case REMOVE -> there ? names & ~bit : -1;
                        case RENAME -> there ? (names & ~bit) | 1L << other : -1;
                        case LIST -> names == listed ? names : -1;
                    };
            if (!isAnswered()) {
                return changed < 0 ? names : changed;
            }
            if (kind == Kind.LIST) {
                return changed;
            }
            return success ? changed : changed < 0 ? names : -1;
        }

        @Override
        public String toString() {
            String what =
                    switch (kind) {
                        case RENAME -> "RENAME " + name + " to " + other;
                        case LIST -> "LIST";
                        default -> kind + " " + name;
                    };
            String answer =
                    !isAnswered()
                            ? "no answer"
                            : kind == Kind.LIST
                                    ? "names " + Long.toBinaryString(listed)
                                    : success ? "done" : kind == Kind.CREATE ? "EEXIST" : "ENOENT";
            return "%s by %s from %.3f s to %s: %s"
                    .formatted(
                            what,
                            by,
                            beginNs / 1e9,
                            isAnswered() ? "%.3f s".formatted(endNs / 1e9) : "?",
                            answer);
        }
    }

    private final List<Operation> operations = new ArrayList<>();

    /** An operation begins; {@code other} is the new name of a rename. */
    public synchronized Operation begin(Kind kind, int name, int other, String by, long nowNs) {
        if (operations.size() >= MAX_OPERATIONS) {
            throw new IllegalStateException("more than " + MAX_OPERATIONS + " operations");
        }
        Operation operation = new Operation(kind, name, other, by, nowNs);
        operations.add(operation);
        return operation;
    }

    /** It succeeded. */
    public synchronized void done(Operation operation, long nowNs) {
        operation.success = true;
        operation.endNs = nowNs;
    }

    /**
     * It was refused: the name was there, or not there.
     *
     * @param beliefNs how old the knowledge may be by which it was refused
     */
    public synchronized void refused(Operation operation, long nowNs, long beliefNs) {
        operation.endNs = nowNs;
        operation.beginNs -= beliefNs;
    }

    /** A listing had these names, as bits. */
    public synchronized void listed(Operation operation, long names, long nowNs, long beliefNs) {
        operation.listed = names;
        operation.endNs = nowNs;
        operation.beginNs -= beliefNs;
    }

    /** Why no order explains the answers, or null when one does. The directory was empty first. */
    public synchronized @Nullable String mismatch() {
        operations.sort(Comparator.comparingLong(each -> each.beginNs));
        if (search(0, 0, new HashSet<>())) {
            return null;
        }
        StringBuilder text = new StringBuilder("no order explains these answers:");
        operations.forEach(each -> text.append("\n    ").append(each));
        return text.toString();
    }

    private record Tried(long taken, long names) {}

    private boolean search(long taken, long names, Set<Tried> tried) {
        long firstEndNs = NEVER;
        boolean complete = true;
        for (int i = 0; i < operations.size(); i++) {
            Operation each = operations.get(i);
            if ((taken & 1L << i) == 0 && each.isAnswered()) {
                complete = false;
                firstEndNs = Math.min(firstEndNs, each.endNs);
            }
        }
        if (complete) {
            return true;
        }
        if (!tried.add(new Tried(taken, names))) {
            return false;
        }
        for (int i = 0; i < operations.size(); i++) {
            Operation each = operations.get(i);
            if ((taken & 1L << i) != 0 || each.beginNs > firstEndNs) {
                continue;
            }
            long after = each.after(names);
            if (after >= 0 && search(taken | 1L << i, after, tried)) {
                return true;
            }
        }
        return false;
    }
}
