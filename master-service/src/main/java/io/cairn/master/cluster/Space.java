package io.cairn.master.cluster;

import io.cairn.cluster.Pool;
import io.cairn.metadata.Namespace;

/**
 * Space of disks, as the chunk servers told it last; a disk counts once, however many targets are
 * on it.
 *
 * @param totalBytes of these disks, less what servers hold back
 * @param freeBytes of disks whose servers answer
 * @param replicas copies that a file gets
 */
public record Space(long totalBytes, long freeBytes, int replicas) {
    /** Copies that a file gets where no policy says otherwise, given the pools there are. */
    static int usualReplicas(Namespace state) {
        int most = state.clusterMap().pools().stream().mapToInt(Pool::replicas).max().orElse(1);
        return Math.max(1, Math.min(most, state.standardReplicas()));
    }

    /**
     * Bytes that may still be written, with all copies of each.
     *
     * @param trashBytes what is in the trash, which goes when room is needed
     */
    long availableBytes(long trashBytes) {
        return Math.min(totalBytes / replicas, freeBytes / replicas + trashBytes);
    }
}
