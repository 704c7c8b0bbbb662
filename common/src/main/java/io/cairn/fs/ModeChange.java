package io.cairn.fs;

import io.cairn.base.CodeTable;
import io.cairn.base.Coded;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import java.util.ArrayList;
import java.util.List;

/**
 * The argument of {@code chmod(1)}: an octal mode, or symbolic clauses such as {@code
 * u=rwx,go-w,+X}, with the meaning that POSIX and GNU give them. A clause that names nobody ({@code
 * +x}) is for all, as if the file creation mask were 0.
 *
 * @param clauses in the order in which they are done
 */
public record ModeChange(List<Clause> clauses) {
    /** Clauses of one change. */
    public static final int MAX_CLAUSES = 64;

    private static final int SET_IDS = 06000;
    private static final int ALL_BITS = 07777;
    private static final int EXECUTE = 0111;
    private static final String WHO = "ugo";
    private static final String PERMISSIONS = "rwxst";

    /** Keeps its own copy of the clauses. */
    public ModeChange {
        clauses = List.copyOf(clauses);
    }

    /** The effect of a clause on its bits. */
    public enum Action implements Coded {
        SET(0, '='),
        ADD(1, '+'),
        REMOVE(2, '-');

        /** All by their codes. */
        public static final CodeTable<Action> CODES = new CodeTable<>(values());

        private final int code;
        private final char sign;

        Action(int code, char sign) {
            this.code = code;
            this.sign = sign;
        }

        @Override
        public int code() {
            return code;
        }
    }

    /** Where the bits of a clause come from. */
    public enum Source implements Coded {
        /** They are the ones given. */
        GIVEN(0),
        /** Given, and execution for directories and for what anybody may execute ({@code X}). */
        GIVEN_AND_SEARCH(1),
        /** The present rights of the given classes ({@code g=u}). */
        COPIED(2);

        /** All by their codes. */
        public static final CodeTable<Source> CODES = new CodeTable<>(values());

        private final int code;

        Source(int code) {
            this.code = code;
        }

        @Override
        public int code() {
            return code;
        }
    }

    /**
     * One step.
     *
     * @param affected the bits that it may touch
     * @param bits the bits to set, add or remove; for {@link Source#COPIED} where to look
     * @param mentioned set-user-ID and set-group-ID bits of directories are touched only if here
     */
    public record Clause(Action action, Source source, int affected, int bits, int mentioned) {
        private int apply(int mode, boolean isDirectory) {
            int kept = isDirectory ? SET_IDS & ~mentioned : 0;
            int value =
                    switch (source) {
                        case GIVEN -> bits;
                        case GIVEN_AND_SEARCH ->
                                isDirectory || (mode & EXECUTE) != 0 ? bits | EXECUTE : bits;
                        case COPIED -> spread(mode & bits);
                    };
            value &= affected & ~kept;
            return switch (action) {
                case SET -> (mode & (~affected | kept)) | value;
                case ADD -> mode | value;
                case REMOVE -> mode & ~value;
            };
        }

        private static int spread(int found) {
            int all = 0;
            for (int bit = 1; bit <= 4; bit <<= 1) {
                int everywhere = bit * 0111;
                all |= (found & everywhere) != 0 ? everywhere : 0;
            }
            return all;
        }
    }

    /**
     * Reads the argument of chmod.
     *
     * @throws FsException EINVAL when it is none; the message tells what is expected
     */
    public static ModeChange parse(String text) {
        if (!text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '7')) {
            return octal(text);
        }
        List<Clause> clauses = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            new Parser(part, text).parse(clauses);
        }
        if (clauses.size() > MAX_CLAUSES) {
            throw new FsException(Errno.EINVAL, "a mode of more than " + MAX_CLAUSES + " clauses");
        }
        return new ModeChange(clauses);
    }

    /** Fewer than five digits leave the set-ID bits of directories alone unless they set them. */
    private static ModeChange octal(String text) {
        int bits = text.length() > 6 ? Integer.MAX_VALUE : Integer.parseInt(text, 8);
        if (bits > ALL_BITS) {
            throw new FsException(Errno.EINVAL, "the mode '" + text + "' is above 7777");
        }
        int mentioned = text.length() < 5 ? bits : ALL_BITS;
        return new ModeChange(
                List.of(new Clause(Action.SET, Source.GIVEN, ALL_BITS, bits, mentioned)));
    }

    /** The permission bits, 0..07777, after the change. */
    public int apply(int mode, boolean isDirectory) {
        int changed = mode & ALL_BITS;
        for (Clause clause : clauses) {
            changed = clause.apply(changed, isDirectory);
        }
        return changed & ALL_BITS;
    }

    /** The change as chmod is told it, in one of the ways that mean the same. */
    public String text() {
        List<String> texts = new ArrayList<>();
        for (Clause clause : clauses) {
            boolean isOctal =
                    clause.action == Action.SET
                            && clause.affected == ALL_BITS
                            && clause.source == Source.GIVEN
                            && (clause.bits & ~clause.mentioned) == 0;
            texts.add(
                    isOctal
                            ? String.format(
                                    clause.mentioned == ALL_BITS ? "%05o" : "%04o", clause.bits)
                            : symbolic(clause));
        }
        return String.join(",", texts);
    }

    private static String symbolic(Clause clause) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < WHO.length(); i++) {
            int bits = Parser.whoOf(WHO.charAt(i));
            if (clause.affected != ALL_BITS && (clause.affected & bits) == bits) {
                text.append(WHO.charAt(i));
            }
        }
        text.append(text.isEmpty() ? "a" : "").append(clause.action.sign);
        if (clause.source == Source.COPIED) {
            return text.append(clause.bits == 0700 ? 'u' : clause.bits == 0070 ? 'g' : 'o')
                    .toString();
        }
        for (int i = 0; i < PERMISSIONS.length(); i++) {
            int bits = Parser.bitsOf(PERMISSIONS.charAt(i));
            if ((clause.bits & bits) == bits) {
                text.append(PERMISSIONS.charAt(i));
            }
        }
        return text.append(clause.source == Source.GIVEN_AND_SEARCH ? "X" : "").toString();
    }

    /** Reads one comma-separated part: {@code [ugoa]*([-+=][rwxXst]*|[ugo])+}. */
    private static final class Parser {
        private final String part;
        private final String whole;
        private int at;

        Parser(String part, String whole) {
            this.part = part;
            this.whole = whole;
        }

        private char peek() {
            return at < part.length() ? part.charAt(at) : 0;
        }

        private FsException bad() {
            return new FsException(
                    Errno.EINVAL,
                    "'"
                            + whole
                            + "' is no mode: give octal digits (0755) or clauses"
                            + " such as u=rwx,go-w,+X");
        }

        void parse(List<Clause> clauses) {
            int who = 0;
            for (int bits = whoOf(peek()); bits != 0; bits = whoOf(peek())) {
                who |= bits;
                at++;
            }
            if (at == part.length()) {
                throw bad();
            }
            while (at < part.length()) {
                clauses.add(clause(who == 0 ? ALL_BITS : who));
            }
        }

        private Clause clause(int affected) {
            Action action =
                    switch (peek()) {
                        case '=' -> Action.SET;
                        case '+' -> Action.ADD;
                        case '-' -> Action.REMOVE;
                        default -> throw bad();
                    };
            at++;
            int copied = copiedOf(peek());
            if (copied != 0) {
                at++;
                return new Clause(action, Source.COPIED, affected, copied, 0);
            }
            int bits = 0;
            Source source = Source.GIVEN;
            for (char c = peek(); "rwxXst".indexOf(c) >= 0 && c != 0; c = peek()) {
                if (c == 'X') {
                    source = Source.GIVEN_AND_SEARCH;
                }
                bits |= bitsOf(c);
                at++;
            }
            return new Clause(action, source, affected, bits, affected & bits);
        }

        private static int whoOf(char c) {
            return switch (c) {
                case 'u' -> 04700;
                case 'g' -> 02070;
                case 'o' -> 01007;
                case 'a' -> ALL_BITS;
                default -> 0;
            };
        }

        private static int copiedOf(char c) {
            return switch (c) {
                case 'u' -> 0700;
                case 'g' -> 0070;
                case 'o' -> 0007;
                default -> 0;
            };
        }

        private static int bitsOf(char c) {
            return switch (c) {
                case 'r' -> 0444;
                case 'w' -> 0222;
                case 'x' -> EXECUTE;
                case 's' -> SET_IDS;
                case 't' -> 01000;
                default -> 0;
            };
        }
    }
}
