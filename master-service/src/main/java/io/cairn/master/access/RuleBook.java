package io.cairn.master.access;

import io.cairn.metadata.Namespace;
import io.cairn.metadata.cluster.AdminRecord;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rules in the replicated state, as they are now. They are read again only after records have
 * changed. Thread-safe.
 */
public final class RuleBook {
    private static final Logger LOG = LoggerFactory.getLogger(RuleBook.class);

    private final Supplier<Namespace> namespace;
    private volatile @Nullable Page page;

    private record Page(Namespace of, long changes, long version, @Nullable MountRules rules) {}

    /** The rules of a state. */
    public RuleBook(Supplier<Namespace> namespace) {
        this.namespace = namespace;
    }

    /**
     * The rules; null when they cannot be read, as a newer release has written them: then nobody
     * may do anything.
     */
    public @Nullable MountRules rules() {
        Namespace now = namespace.get();
        long changes = now.recordChanges();
        Page seen = page;
        if (seen == null || seen.of != now || seen.changes != changes) {
            seen = read(now, changes, seen);
            page = seen;
        }
        return seen.rules;
    }

    private static Page read(Namespace now, long changes, @Nullable Page seen) {
        List<AdminRecord> found = now.records(MountRules.RECORD, "", 1);
        AdminRecord record =
                found.isEmpty() || !found.getFirst().key().equals(MountRules.RECORD)
                        ? null
                        : found.getFirst();
        if (record == null) {
            return new Page(now, changes, 0, MountRules.NONE);
        }
        if (seen != null && seen.of == now && seen.version == record.version()) {
            return new Page(now, changes, seen.version, seen.rules);
        }
        MountRules rules = null;
        try {
            rules = MountRules.decode(record.value());
        } catch (IllegalArgumentException e) {
            LOG.error("the mount rules cannot be read, and no mount may do anything", e);
        }
        return new Page(now, changes, record.version(), rules);
    }
}
