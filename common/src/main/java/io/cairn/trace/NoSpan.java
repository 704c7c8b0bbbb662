package io.cairn.trace;

import org.jspecify.annotations.Nullable;

/**
 * Nothing is recorded.
 *
 * @param why for debuggers
 */
record NoSpan(String why) implements Span {
    @Override
    public @Nullable TraceContext context() {
        return null;
    }

    @Override
    public void note(String key, String value) {}

    @Override
    public void note(String key, long value) {}

    @Override
    public void fail(String word) {}

    @Override
    public void end() {}
}
