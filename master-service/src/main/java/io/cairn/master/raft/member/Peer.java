package io.cairn.master.raft.member;

import io.cairn.cluster.Endpoint;
import org.apache.ratis.protocol.RaftPeer;

/**
 * A master in the group.
 *
 * @param id its name, 1..255 bytes
 * @param raft where the other masters reach it
 */
public record Peer(String id, Endpoint raft) {
    /** Before the address of one whose name is not known; no name of a master begins so. */
    private static final String NAMELESS = "?";

    /** Whoever listens there. */
    static Peer at(Endpoint raft) {
        return new Peer(NAMELESS + raft, raft);
    }

    /** Whether it is whoever listens there. */
    public boolean isNameless() {
        return id.startsWith(NAMELESS);
    }

    /** The same in Ratis' words. */
    public RaftPeer inRatis() {
        return RaftPeer.newBuilder().setId(id).setAddress(raft.toString()).build();
    }

    /** A member of a configuration of Ratis. */
    public static Peer of(RaftPeer peer) {
        return new Peer(peer.getId().toString(), Endpoint.parse(peer.getAddress()));
    }

    @Override
    public String toString() {
        return id + "=" + raft;
    }
}
