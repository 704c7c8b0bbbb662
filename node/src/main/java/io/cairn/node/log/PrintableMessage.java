package io.cairn.node.log;

import ch.qos.logback.classic.pattern.ClassicConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.cairn.base.Printable;

/** The message of a line of the log: one line, whatever names it holds. */
public final class PrintableMessage extends ClassicConverter {
    @Override
    public String convert(ILoggingEvent event) {
        return Printable.of(event.getFormattedMessage());
    }
}
