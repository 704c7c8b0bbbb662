package io.cairn.trace;

/** Begins the spans of one service. Thread-safe; never blocks. */
public interface Tracer {
    /** Begins none. */
    Tracer OFF =
            new Tracer() {
                @Override
                public Span begin(String name, Span.Kind kind) {
                    return Span.NONE;
                }

                @Override
                public Span begin(String name, Span.Kind kind, TraceContext parent) {
                    return Span.NONE;
                }
            };

    /**
     * Begins a span for what this thread works for, see {@link Scope}; where that is nothing yet,
     * an operation begins, and whether it is traced is decided now.
     *
     * @param name from a fixed set
     * @return {@link Span#UNSAMPLED} when it is not to be traced
     */
    Span begin(String name, Span.Kind kind);

    /**
     * Begins a span for another process.
     *
     * @param name from a fixed set
     * @return {@link Span#UNSAMPLED} when the parent is not recorded either
     */
    Span begin(String name, Span.Kind kind, TraceContext parent);
}
