package io.cairn.cli.doctor;

import org.jspecify.annotations.Nullable;

/**
 * The finding of a check.
 *
 * @param check one word: what was looked at
 * @param level how bad it is
 * @param text what was seen
 * @param remedy what to do, a command where there is one; null when nothing is to be done
 */
public record Finding(String check, Level level, String text, @Nullable String remedy) {
    /** From harmless to fatal. */
    public enum Level {
        /** As it should be. */
        OK,
        /** Cairn works, but slower or with less safety than it could. */
        WARN,
        /** Something that Cairn promises will not work. */
        FAIL
    }

    /** All is well. */
    public static Finding ok(String check, String text) {
        return new Finding(check, Level.OK, text, null);
    }

    /** It could be better. */
    public static Finding warn(String check, String text, String remedy) {
        return new Finding(check, Level.WARN, text, remedy);
    }

    /** It will not work. */
    public static Finding fail(String check, String text, String remedy) {
        return new Finding(check, Level.FAIL, text, remedy);
    }
}
