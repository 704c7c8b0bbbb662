package io.cairn.admin.api;

import io.cairn.metadata.cluster.AdminRecord;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.RecordChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The record of all changes with their callers: one line each in the logger {@code cairn.audit},
 * and the last {@value #KEPT} in the replicated state, as records {@code audit/NUMBER}.
 * Thread-safe.
 */
public final class Audit {
    public static final String PREFIX = "audit/";

    /** Entries that are kept. */
    public static final int KEPT = 4096;

    private static final Logger LOG = LoggerFactory.getLogger(Audit.class);
    private static final Logger AUDIT = LoggerFactory.getLogger("cairn.audit");
    private static final int TRIES = 5;
    private static final int MAX_REMOVED = 16;
    private static final int PAGE = 1000;

    private final Records records;
    private final Clock clock;
    private final EventLog events;

    /** Entries up to this one need not be looked at to find the last one. */
    private long lastSeen;

    public Audit(Records records, Clock clock, EventLog events) {
        this.records = records;
        this.clock = clock;
        this.events = events;
    }

    /**
     * Notes a change, done or not.
     *
     * @param call method and address
     * @param what what it was to change
     * @param result {@code done}, or why not
     */
    public void note(Call.Caller caller, String call, String what, String result) {
        AUDIT.info(
                "{} ({}) from {}: {}: {}: {}",
                caller.token(),
                caller.role().text(),
                caller.address(),
                call,
                what,
                result);
        if (result.equals("done") || result.equals("begun")) {
            events.add("info", "change", caller.token(), caller.token() + ": " + what);
        }
        Map<String, Object> entry = Json.map();
        entry.put("at", clock.now().toString());
        entry.put("token", caller.token());
        entry.put("role", caller.role().text());
        entry.put("address", caller.address());
        entry.put("call", call);
        entry.put("what", what);
        entry.put("result", result);
        try {
            append(Json.bytes(entry));
        } catch (Problem e) {
            LOG.warn("the audit log lacks '{}' by {}: {}", call, caller.token(), e.getMessage());
        }
    }

    private synchronized void append(byte[] entry) {
        for (int tries = 1; ; tries++) {
            long next = last() + 1;
            List<RecordChange> changes = new ArrayList<>();
            changes.add(new RecordChange(key(next), 0, entry));
            for (AdminRecord old : records.some(PREFIX, "", MAX_REMOVED)) {
                // The numbers have no gaps: this is how many there would be.
                if (next - numberOf(old) >= KEPT) {
                    changes.add(new RecordChange(old.key(), RecordChange.ANY, null));
                }
            }
            try {
                records.change(changes);
                lastSeen = next;
                return;
            } catch (Problem e) {
                if (e.problem().status() != 412 || tries == TRIES) {
                    throw e;
                }
            }
        }
    }

    /** The number of the last entry; reads what others have added since this one did. */
    private long last() {
        List<AdminRecord> page;
        do {
            page = records.some(PREFIX, lastSeen == 0 ? "" : key(lastSeen), PAGE);
            if (!page.isEmpty()) {
                lastSeen = numberOf(page.getLast());
            }
        } while (page.size() == PAGE);
        return lastSeen;
    }

    static String key(long number) {
        return PREFIX + Json.hex(number);
    }

    public static long numberOf(AdminRecord entry) {
        return Long.parseUnsignedLong(entry.key().substring(PREFIX.length()), 16);
    }
}
