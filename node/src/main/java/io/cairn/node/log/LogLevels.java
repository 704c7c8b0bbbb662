package io.cairn.node.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The levels of the log; where they start stands in {@code logback.xml}. Texts are {@code
 * LOGGER=LEVEL[,...]}, or a level alone for {@code io.cairn}.
 */
public final class LogLevels {
    private static final String OWN = "io.cairn";
    private static final Map<String, Level> LEVELS = levelsByName();
    private static final String KEPT = "cairn.level.of.";

    private LogLevels() {}

    private static Map<String, Level> levelsByName() {
        Map<String, Level> levels = new LinkedHashMap<>();
        for (Level each :
                new Level[] {
                    Level.OFF, Level.ERROR, Level.WARN, Level.INFO, Level.DEBUG, Level.TRACE
                }) {
            levels.put(each.toString().toLowerCase(Locale.ROOT), each);
        }
        return Map.copyOf(levels);
    }

    /** Logs what Cairn does in detail. */
    public static void showMore() {
        set(OWN, Level.DEBUG);
    }

    /** Commands that end at once log only what goes wrong. */
    public static void showWarningsOnly() {
        if (LoggerFactory.getLogger(OWN) instanceof Logger logger
                && logger.getLevel() != Level.DEBUG) {
            set(OWN, Level.WARN);
        }
    }

    /**
     * Sets what a text says; nothing when a part of it is wrong.
     *
     * @throws IllegalArgumentException when it is not {@code LOGGER=LEVEL[,...]}
     */
    public static void apply(String text) {
        Map<String, Level> wanted = new LinkedHashMap<>();
        for (String part : text.split(",", -1)) {
            int equals = part.indexOf('=');
            String logger = equals < 0 ? OWN : part.substring(0, equals).strip();
            if (logger.isEmpty()) {
                throw new IllegalArgumentException(
                        "'" + part + "' names no logger; write LOGGER=LEVEL, as in io.cairn=debug");
            }
            wanted.put(logger, level(part.substring(equals + 1)));
        }
        wanted.forEach(LogLevels::set);
    }

    /** The levels that were set, by name of the logger, in lower case. */
    public static Map<String, String> levels() {
        Map<String, String> levels = new TreeMap<>();
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            for (Logger logger : context.getLoggerList()) {
                @Nullable Level level = logger.getLevel();
                if (level != null) {
                    levels.put(logger.getName(), level.toString().toLowerCase(Locale.ROOT));
                }
            }
        }
        return levels;
    }

    private static Level level(String name) {
        Level level = LEVELS.get(name.strip().toLowerCase(Locale.ROOT));
        if (level == null) {
            throw new IllegalArgumentException(
                    "'" + name + "' is no level; one of off, error, warn, info, debug, trace");
        }
        return level;
    }

    /**
     * Gives these loggers these levels; those that had one before and are not named any more get
     * back what they inherit, or had at the start.
     */
    public static synchronized void follow(Map<String, String> levels) {
        if (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) {
            return;
        }
        for (Logger logger : context.getLoggerList()) {
            if (context.getObject(KEPT + logger.getName()) instanceof Kept kept
                    && !levels.containsKey(logger.getName())) {
                logger.setLevel(kept.level);
                context.removeObject(KEPT + logger.getName());
            }
        }
        levels.forEach(
                (name, level) -> {
                    Logger logger = context.getLogger(name);
                    if (context.getObject(KEPT + name) == null) {
                        context.putObject(KEPT + name, new Kept(logger.getLevel()));
                    }
                    logger.setLevel(Level.toLevel(level, Level.INFO));
                });
    }

    /** The level that a logger had at the start. */
    private record Kept(@Nullable Level level) {}

    private static void set(String name, Level level) {
        if (LoggerFactory.getLogger(name) instanceof Logger logger) {
            logger.setLevel(level);
        }
    }
}
