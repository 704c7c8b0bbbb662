package io.cairn.chunk.store.format;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which blocks of a blob can differ from what they were when it was synced last, by its {@link
 * Claim}s. The more of them there are since a sync, the more blocks each one covers beside its own:
 * a blob that is overwritten in many places costs a bounded number of records. A blob that is
 * overwritten in the same place before and after a sync gets a claim that stands, and needs no more
 * records for that place. Not thread-safe: the log guards it.
 */
public final class ChangedBlocks {
    /** Claims that cover their own blocks alone; each one after them four times as many. */
    private static final int EXACT = 8;

    private static final int MAX_DOUBLINGS = 14;

    private static final int MAX_RECENT = 16;

    private final BitSet blocks = new BitSet();
    private final StandingClaims standing = new StandingClaims();

    /** The last claims that ended with a sync: who changes such blocks again will do so often. */
    private final ArrayDeque<Claim> recent = new ArrayDeque<>();

    private long synced;
    private int claims;

    /** The record to be noted before these blocks are changed; null when none is needed. */
    public @Nullable Claim missing(Claim claim) {
        boolean anew = claim.synced() != synced;
        if (claim.count() == 0 || (!anew && has(blocks, claim))) {
            return null;
        }
        if (standing.use(claim)) {
            // Of the sync it must be known: blocks that were changed before it are synced now.
            return anew && !blocks.isEmpty() ? new Claim(claim.synced(), 0, 0) : null;
        }
        if (claim.count() <= StandingClaims.MAX_BLOCKS && isRepeated(claim)) {
            return claim.at(standing.placeFor(claim));
        }
        int doublings = anew ? 0 : Math.clamp(2L * (claims + 1 - EXACT), 0, MAX_DOUBLINGS);
        return claim.widened(1 << doublings);
    }

    private boolean isRepeated(Claim claim) {
        return recent.stream()
                .anyMatch(last -> last.synced() != claim.synced() && last.covers(claim));
    }

    private static boolean has(BitSet set, Claim claim) {
        return set.nextClearBit(claim.first()) >= claim.end();
    }

    /** Takes a claim over. The first one after a sync ends all before it but those that stand. */
    public void add(Claim claim) {
        if (claim.synced() != 0 && claim.synced() != synced) {
            synced = claim.synced();
            blocks.clear();
            claims = 0;
        }
        if (claim.place() > 0) {
            standing.put(claim);
        } else if (claim.count() > 0) {
            blocks.set(claim.first(), claim.end());
            claims++;
            if (recent.size() == MAX_RECENT) {
                recent.remove();
            }
            recent.add(claim);
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
        standing.all().stream()
                .map(claim -> new Claim(synced, claim.first(), claim.count(), claim.place()))
                .forEach(list::add);
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

    /** Whether a block may be being changed, whatever was synced last. */
    public boolean isStanding(int block) {
        return standing.contains(block);
    }

    /** What is to be noted when the blob was synced, or is used no more: claims that end. */
    public List<Claim> ended(boolean unused) {
        return standing.ended(synced, unused);
    }

    /** One that stays as it is. */
    public ChangedBlocks copy() {
        ChangedBlocks copy = new ChangedBlocks();
        claims().forEach(copy::add);
        return copy;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ChangedBlocks changed && claims().equals(changed.claims());
    }

    @Override
    public int hashCode() {
        return Objects.hash(synced, blocks);
    }

    @Override
    public String toString() {
        return claims().toString();
    }
}
