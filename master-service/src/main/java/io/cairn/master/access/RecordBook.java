package io.cairn.master.access;

import io.cairn.metadata.Namespace;
import io.cairn.metadata.cluster.AdminRecord;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A record of the administration in the replicated state, decoded, as it is now. It is read again
 * only after records have changed. Thread-safe.
 *
 * @param <T> what the record stands for; immutable
 */
final class RecordBook<T> {
    private static final Logger LOG = LoggerFactory.getLogger(RecordBook.class);

    private final Supplier<Namespace> namespace;
    private final String key;
    private final T none;
    private final Function<byte[], T> decoder;
    private volatile @Nullable Page<T> page;

    private record Page<T>(Namespace of, long changes, long version, @Nullable T value) {}

    /**
     * The record of a state.
     *
     * @param none stands for no record
     * @param decoder of its value; throws IllegalArgumentException
     */
    RecordBook(Supplier<Namespace> namespace, String key, T none, Function<byte[], T> decoder) {
        this.namespace = namespace;
        this.key = key;
        this.none = none;
        this.decoder = decoder;
    }

    /**
     * The record; null when it cannot be read, as a newer release has written it: then nobody may
     * do anything.
     */
    @Nullable T value() {
        Namespace now = namespace.get();
        long changes = now.recordChanges();
        Page<T> seen = page;
        if (seen == null || seen.of != now || seen.changes != changes) {
            seen = read(now, changes, seen);
            page = seen;
        }
        return seen.value;
    }

    private Page<T> read(Namespace now, long changes, @Nullable Page<T> seen) {
        List<AdminRecord> found = now.records(key, "", 1);
        AdminRecord record =
                found.isEmpty() || !found.getFirst().key().equals(key) ? null : found.getFirst();
        if (record == null) {
            return new Page<>(now, changes, 0, none);
        }
        if (seen != null && seen.of == now && seen.version == record.version()) {
            return new Page<>(now, changes, seen.version, seen.value);
        }
        T value = null;
        try {
            value = decoder.apply(record.value());
        } catch (IllegalArgumentException e) {
            LOG.error("record {} cannot be read, and no mount may do anything", key, e);
        }
        return new Page<>(now, changes, record.version(), value);
    }
}
