package io.cairn.cli.option;

import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import io.cairn.node.log.LogFormat;
import io.cairn.node.log.LogLevels;
import io.cairn.runtime.DaemonThreads;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The settings {@code log-format} and {@code log-level} of a process. They are applied before
 * anything is logged; the levels again whenever the file of {@code --config} says something else,
 * so that they can be changed while a service runs.
 */
public final class LogSettings {
    private static final Logger LOG = LoggerFactory.getLogger(LogSettings.class);
    private static final long LOOK_MS = 2000;

    private @Nullable String current;

    private LogSettings() {}

    /**
     * Applies the settings.
     *
     * @param format text or json, or null for text
     * @param levels as {@link LogLevels#apply} takes them, or null for the standard
     * @throws CommandException with CONFIG when one of them is wrong
     */
    public static LogSettings apply(@Nullable String format, @Nullable String levels) {
        LogSettings settings = new LogSettings();
        try {
            if (format != null) {
                LogFormat.valueOf(format.toUpperCase(Locale.ROOT)).apply();
            }
        } catch (IllegalArgumentException e) {
            throw new CommandException(
                    ExitCode.CONFIG, "log-format is '" + format + "'; it must be text or json", e);
        }
        try {
            if (levels != null) {
                LogLevels.apply(levels);
            }
        } catch (IllegalArgumentException e) {
            throw new CommandException(ExitCode.CONFIG, "log-level: " + e.getMessage(), e);
        }
        settings.current = levels;
        return settings;
    }

    /** Looks every other second whether the levels have changed, until the process ends. */
    public void follow(Supplier<@Nullable String> levels) {
        ScheduledExecutorService timer =
                Executors.newSingleThreadScheduledExecutor(new DaemonThreads("log-settings"));
        var _ =
                timer.scheduleWithFixedDelay(
                        () -> look(levels), LOOK_MS, LOOK_MS, TimeUnit.MILLISECONDS);
    }

    /** Looks once. A wrong value changes nothing, and is told once. */
    public void look(Supplier<@Nullable String> levels) {
        String wanted;
        try {
            wanted = levels.get();
        } catch (CommandException e) {
            return; // being written, or damaged: the levels stay
        }
        if (wanted == null || Objects.equals(wanted, current)) {
            return;
        }
        current = wanted;
        try {
            LogLevels.apply(wanted);
            LOG.info("Log levels are now {}", wanted);
        } catch (IllegalArgumentException e) {
            LOG.warn("log-level in the configuration file: {}; nothing changed", e.getMessage());
        }
    }
}
