package io.cairn.master.raft;

import io.cairn.cluster.Endpoint;
import io.cairn.master.raft.member.Peer;
import io.cairn.master.store.StoreSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * One master's part in the group.
 *
 * @param id its name in the group, 1..255 bytes
 * @param directory its directory; made when absent
 * @param members what this master is told of the group
 * @param client where clients reach this master, told to the other masters when it leads
 * @param store memory of the store
 * @param checkpoints when to make checkpoints
 */
public record RatisSettings(
        String id,
        Path directory,
        Members members,
        Endpoint client,
        StoreSettings store,
        CheckpointRule checkpoints) {
    /**
     * The masters of a group.
     *
     * @param peers all masters when the group is founded; who they are later stands in the log.
     *     Where this one listens
     * @param found whether a master may found a cluster, together with all others that were told
     *     so, when none of them holds anything; without effect when there is a cluster
     * @param doors where masters of a group are reached that this one is to join, whose directory
     *     is empty then; empty when it joins none
     */
    public record Members(List<Peer> peers, boolean found, List<Endpoint> doors) {
        /** Takes a copy. */
        public Members {
            peers = List.copyOf(peers);
            doors = List.copyOf(doors);
        }

        /** Masters that join no group. */
        public Members(List<Peer> peers, boolean found) {
            this(peers, found, List.of());
        }
    }

    /**
     * A checkpoint is made after so many entries or bytes of the log, whichever comes first. The
     * log keeps what the newest two checkpoints need, thus up to about twice as much.
     *
     * @param entries 1 or more
     * @param bytes 1 or more; a segment of the log is a quarter of it, 64 KiB to 32 MiB
     */
    public record CheckpointRule(long entries, long bytes) {
        /** Every 100,000 entries or 256 MiB. */
        public static CheckpointRule standard() {
            return new CheckpointRule(100_000, 256L << 20);
        }
    }

    /** Checks that the peers have distinct names and hold this master. */
    public RatisSettings {
        Set<String> ids = new TreeSet<>();
        for (Peer peer : members.peers()) {
            if (!ids.add(peer.id())) {
                throw new IllegalArgumentException("two masters are called '" + peer.id() + "'");
            }
        }
        if (!ids.contains(id)) {
            throw new IllegalArgumentException(
                    "master '%s' is not among the masters of the group: %s".formatted(id, ids));
        }
    }

    /** All masters. */
    List<Peer> peers() {
        return members.peers();
    }

    /** Whether this master was told to found a cluster. */
    boolean found() {
        return members.found();
    }

    /** This master among the peers. */
    Peer self() {
        return peers().stream().filter(peer -> peer.id().equals(id)).findFirst().orElseThrow();
    }

    /** Whether this master was told that there is no other. */
    public boolean alone() {
        return peers().size() == 1 && members.doors().isEmpty();
    }
}
