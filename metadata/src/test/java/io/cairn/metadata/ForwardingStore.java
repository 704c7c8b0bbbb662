package io.cairn.metadata;

import io.cairn.metadata.state.MemoryStore;
import io.cairn.metadata.state.Store;
import io.cairn.metadata.state.StoredState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A store in memory for fakes that do something else in some of its methods. */
public class ForwardingStore implements Store {
    private final MemoryStore memory;

    /** Over an empty store. */
    public ForwardingStore() {
        this(new MemoryStore());
    }

    public ForwardingStore(MemoryStore memory) {
        this.memory = memory;
    }

    @Override
    public byte @Nullable [] get(Family family, byte[] key) {
        return memory.get(family, key);
    }

    @Override
    public void scan(Family family, byte[] prefix, byte[] from, Visitor visitor) {
        memory.scan(family, prefix, from, visitor);
    }

    @Override
    public void commit(List<Change> changes, long term, long index) {
        memory.commit(changes, term, index);
    }

    @Override
    public StoredState snapshot() {
        return memory.snapshot();
    }

    @Override
    public long appliedTerm() {
        return memory.appliedTerm();
    }

    @Override
    public long appliedIndex() {
        return memory.appliedIndex();
    }

    @Override
    public void close() {
        memory.close();
    }
}
