package io.cairn.master.access;

import io.cairn.metadata.Namespace;
import io.cairn.metadata.cluster.AdminRecord;
import io.cairn.seal.WrappedKey;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys of storage classes, for chunk servers. They are read again only after records have
 * changed. Thread-safe.
 */
public final class ClassKeyCache {
    private static final Logger LOG = LoggerFactory.getLogger(ClassKeyCache.class);

    private final Supplier<Namespace> namespace;
    private volatile @Nullable Page page;

    private record Page(Namespace of, long changes, List<WrappedKey> keys) {}

    /** Those of a state. */
    public ClassKeyCache(Supplier<Namespace> namespace) {
        this.namespace = namespace;
    }

    /** All keys, also those that were dropped. One that cannot be read is left out. */
    public List<WrappedKey> keys() {
        Namespace now = namespace.get();
        long changes = now.recordChanges();
        Page seen = page;
        if (seen == null || seen.of != now || seen.changes != changes) {
            seen = new Page(now, changes, read(now));
            page = seen;
        }
        return seen.keys;
    }

    private static List<WrappedKey> read(Namespace now) {
        List<WrappedKey> keys = new ArrayList<>();
        for (AdminRecord record : now.records(ClassKey.PREFIX, "", WrappedKey.MAX_NUMBER)) {
            try {
                keys.add(ClassKey.of(record).wrapped());
            } catch (IllegalArgumentException e) {
                LOG.error("record {} cannot be read: its key is told to nobody", record.key(), e);
            }
        }
        return List.copyOf(keys);
    }
}
