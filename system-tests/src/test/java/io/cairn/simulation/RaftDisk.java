package io.cairn.simulation;

import io.cairn.metadata.state.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * What one master has on its disk: the term and the vote, which are written before anything is said
 * of them, a checkpoint, and the entries of the log after it. The end of the log may still be on
 * its way to the disk; a crash loses a random part of that.
 */
final class RaftDisk {
    /**
     * An entry of the log.
     *
     * @param bytes envelopes; empty for the entry with which a term begins
     */
    record Entry(long term, byte[] bytes) {}

    /**
     * The state after an entry. Indexes of entries begin with 1.
     *
     * @param store is not changed any more
     */
    record Checkpoint(MemoryStore store, long index, long term) {}

    private final List<Entry> entries = new ArrayList<>();
    private Checkpoint checkpoint = new Checkpoint(new MemoryStore(), 0, 0);
    private long term;
    private @Nullable String vote;
    private long durable;

    long term() {
        return term;
    }

    /** Whom this master has voted for in its term, or null. */
    @Nullable String vote() {
        return vote;
    }

    void vote(String candidate) {
        vote = candidate;
    }

    /** A new term begins, without a vote. */
    void enter(long newTerm) {
        term = newTerm;
        vote = null;
    }

    Checkpoint checkpoint() {
        return checkpoint;
    }

    long lastIndex() {
        return checkpoint.index + entries.size();
    }

    /** Up to here the log outlasts a crash. */
    long durable() {
        return durable;
    }

    /** The entries up to an index have come to the disk, if they are still the same. */
    void written(long index, long termThere) {
        if (index > durable && index <= lastIndex() && termAt(index) == termThere) {
            durable = index;
        }
    }

    /** The term of an entry from the checkpoint on; -1 for what is not known. */
    long termAt(long index) {
        if (index == checkpoint.index) {
            return checkpoint.term;
        }
        return index < checkpoint.index || index > lastIndex() ? -1 : entry(index).term;
    }

    /** An entry after the checkpoint. */
    Entry entry(long index) {
        return entries.get((int) (index - checkpoint.index) - 1);
    }

    /** At most so many entries from an index on, which is after the checkpoint. */
    List<Entry> from(long index, int most) {
        int from = (int) (index - checkpoint.index) - 1;
        return List.copyOf(entries.subList(from, Math.min(entries.size(), from + most)));
    }

    void append(Entry entry) {
        entries.add(entry);
    }

    /** Forgets the entries from an index on. */
    void cut(long index) {
        entries.subList((int) (index - checkpoint.index) - 1, entries.size()).clear();
        durable = Math.min(durable, lastIndex());
    }

    /** Keeps a state instead of the entries that led to it, and the entries after it that fit. */
    void keep(Checkpoint newer) {
        if (termAt(newer.index) == newer.term) {
            entries.subList(0, (int) (newer.index - checkpoint.index)).clear();
        } else {
            entries.clear();
        }
        checkpoint = newer;
        durable = Math.clamp(durable, newer.index, lastIndex());
    }

    /** The process ends: what was under way to the disk is there in part. */
    void crash(Random random) {
        long lost = lastIndex() - durable;
        if (lost > 0) {
            cut(lastIndex() + 1 - random.nextLong(lost + 1));
            durable = lastIndex();
        }
    }
}
