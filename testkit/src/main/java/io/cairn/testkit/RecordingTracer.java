package io.cairn.testkit;

import io.cairn.trace.Scope;
import io.cairn.trace.Span;
import io.cairn.trace.TraceContext;
import io.cairn.trace.Tracer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Keeps every span in memory; traces everything. Thread-safe. */
public final class RecordingTracer implements Tracer {
    private final AtomicLong numbers = new AtomicLong();
    private final List<Recorded> spans = new CopyOnWriteArrayList<>();

    /** A span, under way or over. */
    public final class Recorded implements Span {
        private final String name;
        private final Kind kind;
        private final @Nullable TraceContext parent;
        private final TraceContext own;
        private final Map<String, String> notes = new ConcurrentHashMap<>();
        private volatile boolean ended;

        private Recorded(String name, Kind kind, @Nullable TraceContext parent) {
            this.name = name;
            this.kind = kind;
            this.parent = parent;
            long number = numbers.incrementAndGet();
            this.own =
                    parent == null
                            ? new TraceContext(0, number, number, (byte) 1)
                            : new TraceContext(
                                    parent.traceHigh(), parent.traceLow(), number, (byte) 1);
        }

        /** Its name. */
        public String name() {
            return name;
        }

        /** Its side. */
        public Kind kind() {
            return kind;
        }

        /** The parent, or null. */
        public @Nullable TraceContext parent() {
            return parent;
        }

        /** Its attributes; {@code failed} is the word of its failure. */
        public Map<String, String> notes() {
            return notes;
        }

        /** Whether it is over. */
        public boolean hasEnded() {
            return ended;
        }

        @Override
        public TraceContext context() {
            return own;
        }

        @Override
        public void note(String key, String value) {
            notes.put(key, value);
        }

        @Override
        public void note(String key, long value) {
            notes.put(key, String.valueOf(value));
        }

        @Override
        public void fail(String word) {
            notes.put("failed", word);
        }

        @Override
        public void end() {
            ended = true;
        }

        @Override
        public String toString() {
            return kind + " " + name + " " + own + " of " + parent + " " + notes;
        }
    }

    @Override
    public Recorded begin(String name, Span.Kind kind) {
        return add(new Recorded(name, kind, Scope.current().context()));
    }

    @Override
    public Recorded begin(String name, Span.Kind kind, TraceContext parent) {
        return add(new Recorded(name, kind, parent));
    }

    private Recorded add(Recorded span) {
        spans.add(span);
        return span;
    }

    /** All spans so far, in the order of their begin. */
    public List<Recorded> spans() {
        return List.copyOf(spans);
    }

    /** The only span of a name and side. */
    public Recorded span(String name, Span.Kind kind) {
        List<Recorded> found =
                spans.stream().filter(s -> s.name.equals(name) && s.kind == kind).toList();
        if (found.size() != 1) {
            throw new AssertionError(kind + " " + name + " is not there once, but " + spans);
        }
        return found.get(0);
    }
}
