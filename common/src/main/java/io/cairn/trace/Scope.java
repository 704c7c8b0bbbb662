package io.cairn.trace;

import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The span that a thread works for. It ends with the call that it was said for, so nothing is left
 * behind on a thread that goes on to other work. Work that goes on on another thread takes {@link
 * #current} along and says it there again.
 */
public final class Scope {
    private static final ScopedValue<Span> CURRENT = ScopedValue.newInstance();

    private Scope() {}

    /** The span that this thread works for; {@link Span#NONE} when none is set. */
    public static Span current() {
        return CURRENT.isBound() ? CURRENT.get() : Span.NONE;
    }

    /** Whether this thread works for a span already. */
    public static boolean is(Span span) {
        return span.equals(current());
    }

    /** Works for a span, or with {@link Span#NONE} for none, whatever the thread did before. */
    public static void run(Span span, Runnable work) {
        if (is(span)) {
            work.run();
        } else {
            ScopedValue.where(CURRENT, span).run(work);
        }
    }

    /** As {@link #run}, with a result. */
    public static <T> T get(Span span, Supplier<T> work) {
        return is(span) ? work.get() : ScopedValue.where(CURRENT, span).call(work::get);
    }

    /** A step for later, on whatever thread: it works for what this thread works for now. */
    public static <T, R> Function<T, R> carried(Function<T, R> step) {
        Span span = current();
        return value -> get(span, () -> step.apply(value));
    }
}
