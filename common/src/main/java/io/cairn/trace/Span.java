package io.cairn.trace;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A stretch of work of one service. Thread-safe. */
public interface Span {
    /** No span, and nothing decided: whoever begins one begins a trace. */
    Span NONE = new NoSpan("none");

    /** No span: the operation was looked at and is not traced, nor is anything it causes. */
    Span UNSAMPLED = new NoSpan("unsampled");

    /** Which side of a request the work is. */
    enum Kind {
        INTERNAL,
        CLIENT,
        SERVER
    }

    /** The context that others name as their parent; null when there is no span. */
    @Nullable TraceContext context();

    /** Says something about the work, never anything that a user has named. */
    void note(String key, String value);

    /** Says a number about the work. */
    void note(String key, long value);

    /** It failed. The word comes from a fixed set, such as {@code enoent}. */
    void fail(String word);

    /** It is over; what comes later is ignored. */
    void end();

    /** A span is over, with what was thrown if it has failed. */
    static void end(Span span, @Nullable Throwable thrown) {
        Throwable at = thrown;
        while (at != null && !(at instanceof FsException) && at.getCause() != null) {
            at = at.getCause();
        }
        if (at != null) {
            Errno errno = at instanceof FsException known ? known.errno() : Errno.EIO;
            span.fail(errno.name().toLowerCase(Locale.ROOT));
        }
        span.end();
    }
}
