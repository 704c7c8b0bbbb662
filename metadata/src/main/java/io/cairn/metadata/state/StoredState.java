package io.cairn.metadata.state;

import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Store.Visitor;
import org.jspecify.annotations.Nullable;

/**
 * A state that can be read: the one that a {@link Store} has now, or a snapshot of it, which stays
 * as it was. Any thread may read.
 */
public interface StoredState extends AutoCloseable {
    /** The value of a key, or null. */
    byte @Nullable [] get(Family family, byte[] key);

    /** Visits the entries whose key starts with {@code prefix} and is at or after {@code from}. */
    void scan(Family family, byte[] prefix, byte[] from, Visitor visitor);

    /** Term of the last batch in it; 0 for an empty one. */
    long appliedTerm();

    /** Log index of the last batch in it; -1 for an empty one. */
    long appliedIndex();

    @Override
    void close();
}
