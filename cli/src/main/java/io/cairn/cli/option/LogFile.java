package io.cairn.cli.option;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.filter.ThresholdFilter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.util.FileSize;
import io.cairn.base.Wording;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import io.cairn.node.log.LogFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.slf4j.LoggerFactory;

/**
 * The log of a service that somebody started on a terminal: a file of limited size, with a few
 * older ones beside it. The terminal shows warnings and errors only.
 */
public final class LogFile {
    private static final long MOST_BYTES = 10 << 20;
    private static final int OLDER_FILES = 3;

    private LogFile() {}

    /**
     * Writes there from now on.
     *
     * @throws CommandException with CANNOT_CREATE when the file cannot be made
     */
    public static void begin(Path file) {
        if (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) {
            return;
        }
        try {
            Files.createDirectories(Objects.requireNonNull(file.getParent()));
        } catch (IOException e) {
            throw new CommandException(
                    ExitCode.CANNOT_CREATE, file + " cannot be written: " + Wording.of(e), e);
        }
        Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
        if (LogFormat.appender(context) instanceof OutputStreamAppender<ILoggingEvent> screen) {
            root.addAppender(appender(context, file, encoder(context, screen.getEncoder())));
            ThresholdFilter filter = new ThresholdFilter();
            filter.setLevel(Level.WARN.toString());
            filter.start();
            screen.addFilter(filter);
        }
    }

    private static RollingFileAppender<ILoggingEvent> appender(
            LoggerContext context, Path file, Encoder<ILoggingEvent> encoder) {
        RollingFileAppender<ILoggingEvent> appender = new RollingFileAppender<>();
        appender.setContext(context);
        appender.setFile(file.toString());
        appender.setEncoder(encoder);
        FixedWindowRollingPolicy older = new FixedWindowRollingPolicy();
        older.setContext(context);
        older.setParent(appender);
        older.setFileNamePattern(file + ".%i");
        older.setMinIndex(1);
        older.setMaxIndex(OLDER_FILES);
        older.start();
        SizeBasedTriggeringPolicy<ILoggingEvent> size = new SizeBasedTriggeringPolicy<>();
        size.setContext(context);
        size.setMaxFileSize(new FileSize(MOST_BYTES));
        size.start();
        appender.setRollingPolicy(older);
        appender.setTriggeringPolicy(size);
        appender.start();
        return appender;
    }

    /** One as that of the terminal. */
    private static Encoder<ILoggingEvent> encoder(
            LoggerContext context, Encoder<ILoggingEvent> like) {
        if (!(like instanceof PatternLayoutEncoder text)) {
            return LogFormat.json(context);
        }
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern(text.getPattern());
        encoder.start();
        return encoder;
    }
}
