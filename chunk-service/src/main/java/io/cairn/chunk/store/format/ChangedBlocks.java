package io.cairn.chunk.store.format;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which blocks of a blob can differ from what they were when it was synced last, by its {@link
 * Claim}s. The more of them there are since a sync, the more blocks each one covers beside its own:
 * a blob that is overwritten in many places costs a bounded number of records. Not thread-safe: the
 * log guards it.
 */
public final class ChangedBlocks {
    /** Claims that cover their own blocks alone; each one after them eight times as many. */
    private static final int EXACT = 4;

    private static final int MAX_DOUBLINGS = 14;

    private final BitSet blocks = new BitSet();
    private long synced;
    private int claims;

    /** The record to be noted before these blocks are changed; null when none is needed. */
    public @Nullable Claim missing(Claim claim) {
        boolean anew = claim.synced() != synced;
        int end = claim.first() + claim.count();
        if (claim.count() == 0 || (!anew && blocks.nextClearBit(claim.first()) >= end)) {
            return null;
        }
        int doublings = anew ? 0 : Math.clamp(3L * (claims + 1 - EXACT), 0, MAX_DOUBLINGS);
        return claim.widened(1 << doublings);
    }

    /** Takes a claim over. The first one after a sync ends all before it. */
    public void add(Claim claim) {
        if (claim.synced() != 0 && claim.synced() != synced) {
            synced = claim.synced();
            blocks.clear();
            claims = 0;
        }
        if (claim.count() > 0) {
            blocks.set(claim.first(), claim.first() + claim.count());
            claims++;
        }
    }

    /** The same as claims: at least one. */
    public List<Claim> claims() {
        List<Claim> list = new ArrayList<>();
        for (int at = blocks.nextSetBit(0); at >= 0; ) {
            int end = blocks.nextClearBit(at);
            list.add(new Claim(synced, at, end - at));
            at = blocks.nextSetBit(end);
        }
        return list.isEmpty() ? List.of(new Claim(synced, 0, 0)) : list;
    }

    /** The last sync that is known of, as the number of the last write then; 0 = none. */
    public long synced() {
        return synced;
    }

    /** Whether a block may have been changed since {@link #synced}. */
    public boolean contains(int block) {
        return blocks.get(block);
    }

    /** One that stays as it is. */
    public ChangedBlocks copy() {
        ChangedBlocks copy = new ChangedBlocks();
        claims().forEach(copy::add);
        return copy;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ChangedBlocks changed
                && synced == changed.synced
                && blocks.equals(changed.blocks);
    }

    @Override
    public int hashCode() {
        return Objects.hash(synced, blocks);
    }

    @Override
    public String toString() {
        return blocks + " since write " + synced;
    }
}
