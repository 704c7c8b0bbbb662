package io.cairn.master.store;

import java.io.IOException;

/**
 * The seat of this master in its group: to which cluster it belongs and whether it has a vote. A
 * master with an empty directory has none: it may have voted and acknowledged entries before its
 * directory was emptied, and two such masters would elect one of them over the third that knows
 * everything. It gets its vote when it founds the cluster with all others, or when it has caught
 * up. Thread-safe.
 */
public final class Membership {
    private final FormatFile format;

    public Membership(FormatFile format) {
        this.format = format;
    }

    /** The cluster, 0 while it is in none. */
    public long clusterId() {
        return format.clusterId();
    }

    public boolean votes() {
        return format.votes();
    }

    /** Gives this master its vote, durably. */
    public void take() throws IOException {
        format.setVotes(true);
    }

    /** The last recovery of the cluster that this master knows, 0 for none. */
    public long recovery() {
        return format.recovery();
    }

    /** Whether this master leads a recovery that is not over. */
    public boolean recovers() {
        return format.recovers();
    }

    /** Follows who leads a recovery: what others had before it counts no more. */
    public void follow(long recovery) throws IOException {
        format.setRecovery(recovery, false);
    }

    /** The recovery that this master leads is over: from now on it is one of all. */
    public void endRecovery() throws IOException {
        format.setRecovery(format.recovery(), false);
    }

    /** The state of this master is another one than that of most: it is not to be used again. */
    public void markDiffering() throws IOException {
        format.setDiffers();
    }

    /** The stamp of the messages of this master: the cluster and its last recovery. */
    public long stamp() {
        return stamp(clusterId(), recovery());
    }

    /** The same of any master; 0 while it is in no cluster. */
    public static long stamp(long clusterId, long recovery) {
        return clusterId == 0 ? 0 : clusterId ^ recovery;
    }

    /**
     * Whether another stamp is that of another cluster, or of this one before or after a recovery;
     * who is in none yet may come to any.
     */
    public boolean isForeign(long otherStamp) {
        long own = stamp();
        return own != 0 && otherStamp != 0 && own != otherStamp;
    }

    /** How ids of clusters are written. */
    public static String text(long clusterId) {
        return "%016x".formatted(clusterId);
    }
}
