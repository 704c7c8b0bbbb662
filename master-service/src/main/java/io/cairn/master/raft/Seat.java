package io.cairn.master.raft;

import io.cairn.master.store.FormatFile;
import java.io.IOException;

/**
 * The seat of this master in its group: to which cluster it belongs and whether it has a vote. A
 * master with an empty directory has none: it may have voted and acknowledged entries before its
 * directory was emptied, and two such masters would elect one of them over the third that knows
 * everything. It gets its vote when it founds the cluster with all others, or when it has caught
 * up. Thread-safe.
 */
final class Seat {
    private final FormatFile format;

    Seat(FormatFile format) {
        this.format = format;
    }

    /** The cluster, 0 while it is in none. */
    long clusterId() {
        return format.clusterId();
    }

    boolean votes() {
        return format.votes();
    }

    /** Gives this master its vote, durably. */
    void take() throws IOException {
        format.setVotes(true);
    }

    /** Whether two clusters are different ones; who is in none yet may come to any. */
    boolean isForeign(long otherCluster) {
        long own = clusterId();
        return own != 0 && otherCluster != 0 && own != otherCluster;
    }

    /** How ids of clusters are written. */
    static String text(long clusterId) {
        return "%016x".formatted(clusterId);
    }
}
