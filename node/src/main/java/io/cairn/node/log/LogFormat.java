package io.cairn.node.log;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.OutputStreamAppender;
import org.slf4j.LoggerFactory;

/** How an event of the log is written: a line of text, or a line of JSON. */
public enum LogFormat {
    /** Time, level, class, message; as {@code logback.xml} says. */
    TEXT,
    /**
     * An object a line: {@code timestamp} (milliseconds since the epoch), {@code level}, {@code
     * threadName}, {@code loggerName}, {@code formattedMessage}, and {@code throwable} where there
     * is one.
     */
    JSON;

    private static final String APPENDER = "stderr";

    /** Writes so from now on. Once text was given up for JSON there is no way back. */
    public void apply() {
        if (this == JSON
                && LoggerFactory.getILoggerFactory() instanceof LoggerContext context
                && appender(context) instanceof OutputStreamAppender<ILoggingEvent> appender) {
            appender.stop();
            appender.setEncoder(json(context));
            appender.start();
        }
    }

    /** An encoder for events as objects, started. */
    public static JsonEncoder json(LoggerContext context) {
        JsonEncoder encoder = new JsonEncoder();
        encoder.setContext(context);
        encoder.setWithFormattedMessage(true);
        encoder.setWithMessage(false);
        encoder.setWithArguments(false);
        encoder.setWithSequenceNumber(false);
        encoder.setWithNanoseconds(false);
        encoder.setWithContext(false);
        encoder.start();
        return encoder;
    }

    /** Writes to standard error. */
    public static ch.qos.logback.core.Appender<ILoggingEvent> appender(LoggerContext context) {
        return context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender(APPENDER);
    }
}
