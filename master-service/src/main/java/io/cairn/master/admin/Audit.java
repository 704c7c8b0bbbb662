package io.cairn.master.admin;

import io.cairn.master.namespace.AdminRecord;
import io.cairn.runtime.Clock;
import io.cairn.wire.RecordChange;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who changed what: one line each in the logger {@code cairn.audit}, and the last {@value #KEPT} in
 * the replicated state, as records {@code audit/NUMBER}. Thread-safe.
 */
final class Audit {
    static final String PREFIX = "audit/";

    /** Entries that are kept. */
    static final int KEPT = 4096;

    private static final Logger LOG = LoggerFactory.getLogger(Audit.class);
    private static final Logger AUDIT = LoggerFactory.getLogger("cairn.audit");
    private static final int TRIES = 5;

    private final Records records;
    private final Clock clock;
    private final EventLog events;

    Audit(Records records, Clock clock, EventLog events) {
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
    void note(Call.Caller caller, String call, String what, String result) {
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
        entry.put("at", now());
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

    private String now() {
        return Instant.ofEpochMilli(clock.wallNs() / 1_000_000).toString();
    }

    private synchronized void append(byte[] entry) {
        for (int tries = 1; ; tries++) {
            List<AdminRecord> all = records.all(PREFIX);
            long next = all.isEmpty() ? 1 : numberOf(all.getLast()) + 1;
            List<RecordChange> changes = new ArrayList<>();
            changes.add(new RecordChange(key(next), 0, entry));
            for (int i = 0; i <= all.size() - KEPT && i < 16; i++) {
                changes.add(new RecordChange(all.get(i).key(), RecordChange.ANY, null));
            }
            try {
                records.change(changes);
                return;
            } catch (Problem e) {
                if (e.problem().status() != 412 || tries == TRIES) {
                    throw e;
                }
            }
        }
    }

    static String key(long number) {
        return PREFIX + Json.hex(number);
    }

    static long numberOf(AdminRecord entry) {
        return Long.parseUnsignedLong(entry.key().substring(PREFIX.length()), 16);
    }
}
