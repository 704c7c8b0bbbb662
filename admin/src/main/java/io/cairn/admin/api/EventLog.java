package io.cairn.admin.api;

import io.cairn.runtime.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Recent events, in the memory of the leader: the last {@value #KEPT}; and each of them as a line
 * of the leader's log. Numbers grow, across leaders too. Thread-safe.
 */
public final class EventLog {
    private static final Logger LOG = LoggerFactory.getLogger(EventLog.class);

    /** Events that are kept. */
    static final int KEPT = 4096;

    private static final int TERM_SHIFT = 32;

    private final Clock clock;
    private final Deque<Event> events = new ArrayDeque<>();
    private long next = 1;

    /**
     * An event.
     *
     * @param level {@code info}, {@code warning} or {@code critical}
     * @param kind what kind, in camel case: {@code serverDown}
     * @param subject who or what
     */
    public record Event(
            long id, String at, String level, String kind, String subject, String text) {
        public Map<String, Object> toJson() {
            Map<String, Object> document = Json.map();
            document.put("id", Json.hex(id));
            document.put("at", at);
            document.put("level", level);
            document.put("kind", kind);
            document.put("subject", subject);
            document.put("text", text);
            return document;
        }
    }

    public EventLog(Clock clock) {
        this.clock = clock;
    }

    /** This master leads in a term: its events come after those of all terms before. */
    public synchronized void lead(long term) {
        next = Math.max(next, (term << TERM_SHIFT) + 1);
    }

    /** Something happened. */
    public synchronized void add(String level, String kind, String subject, String text) {
        if (level.equals("info")) {
            LOG.info("{}", text);
        } else {
            LOG.warn("{}", text);
        }
        String at = clock.now().toString();
        events.addLast(new Event(next++, at, level, kind, subject, text));
        if (events.size() > KEPT) {
            events.removeFirst();
        }
    }

    /** Events after an id, the oldest first. */
    public synchronized List<Event> after(long id, int max) {
        List<Event> found = new ArrayList<>();
        for (Event event : events) {
            if (event.id > id && found.size() < max) {
                found.add(event);
            }
        }
        return found;
    }

    /** The id of the last event, or of the one before the first. */
    public synchronized long last() {
        return next - 1;
    }
}
