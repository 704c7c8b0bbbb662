package io.cairn.node.log;

import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.IThrowableProxy;
import io.cairn.base.Printable;

/**
 * The stack trace of a line of the log. Each line of it is indented, so that none can pass for an
 * event of its own, whatever the messages hold.
 */
public final class PrintableThrowable extends ThrowableProxyConverter {
    @Override
    protected String throwableProxyToString(IThrowableProxy throwable) {
        return Printable.ofLines(super.throwableProxyToString(throwable).stripTrailing()).indent(2);
    }
}
