package io.cairn.chunk.store.format;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of a blob that are overwritten and synced again and again: they are named once and not
 * before each overwrite. Their claims stand until others take their places, or nobody has changed
 * them for a while. Only their own blocks count as changed, and they are few: after a loss of power
 * a damaged one cannot be told from one that was being overwritten. Not thread-safe.
 */
final class StandingClaims {
    /** Blocks of one claim. */
    static final int MAX_BLOCKS = 64;

    /** Syncs without a change of its blocks after which a claim ends. */
    static final int PATIENCE = 16;

    private final @Nullable Claim[] claims = new Claim[Claim.PLACES];

    /** Syncs since a place was used. */
    private final int[] idle = new int[Claim.PLACES];

    /** A claim takes its place, or empties it. */
    void put(Claim claim) {
        claims[claim.place() - 1] = claim.count() == 0 ? null : claim;
        idle[claim.place() - 1] = 0;
    }

    /** Whether blocks that are about to be changed are all named by one claim. */
    boolean use(Claim claim) {
        for (int i = 0; i < claims.length; i++) {
            Claim standing = claims[i];
            if (standing != null && standing.covers(claim)) {
                idle[i] = 0;
                return true;
            }
        }
        return false;
    }

    /** The place for a new one: that of one that it covers, an empty one, the one used least. */
    int placeFor(Claim claim) {
        int best = 0;
        for (int i = 0; i < claims.length; i++) {
            Claim standing = claims[i];
            if (standing != null && claim.covers(standing)) {
                return i + 1;
            }
            boolean isBetter = claims[best] != null && (standing == null || idle[i] > idle[best]);
            best = isBetter ? i : best;
        }
        return best + 1;
    }

    boolean contains(int block) {
        return all().stream().anyMatch(claim -> claim.first() <= block && block < claim.end());
    }

    List<Claim> all() {
        List<Claim> all = new ArrayList<>();
        for (Claim standing : claims) {
            if (standing != null) {
                all.add(standing);
            }
        }
        return all;
    }

    /** The blob was synced, or nobody uses it any more: the claims to be noted that end others. */
    List<Claim> ended(long synced, boolean unused) {
        List<Claim> ended = new ArrayList<>();
        for (int i = 0; i < claims.length; i++) {
            if (claims[i] != null && (unused || ++idle[i] > PATIENCE)) {
                ended.add(new Claim(synced, 0, 0, i + 1));
            }
        }
        return ended;
    }
}
