package io.cairn.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.slf4j.LoggerFactory;

/** The levels of the log; where they start stands in {@code logback.xml}. */
final class LogLevels {
    private LogLevels() {}

    /** Logs what Cairn does in detail. */
    static void showMore() {
        set("io.cairn", Level.DEBUG);
    }

    /** Commands that end at once log only what goes wrong. */
    static void showWarningsOnly() {
        if (LoggerFactory.getLogger("io.cairn") instanceof Logger logger
                && logger.getLevel() != Level.DEBUG) {
            set("io.cairn", Level.WARN);
        }
    }

    private static void set(String name, Level level) {
        if (LoggerFactory.getLogger(name) instanceof Logger logger) {
            logger.setLevel(level);
        }
    }
}
