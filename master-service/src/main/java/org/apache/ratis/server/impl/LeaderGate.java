package org.apache.ratis.server.impl;

import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.LogAppender;

/**
 * Asks a division whether it leads. Lives in this package because Ratis keeps the answers to
 * itself.
 *
 * <p>Ratis' own linearizable read lets a deposed leader answer for a while. A read that asks here
 * before and after it looked at the applied state does not: the leader state exists, its first
 * entry of the term is applied, and it is alone or has heard a majority within the lease. Costs
 * about 0.2 us; any thread.
 */
public final class LeaderGate {
    private final RoleInfo role;

    /**
     * A gate to a division.
     *
     * @param division made by Ratis
     */
    public LeaderGate(RaftServer.Division division) {
        role = ((RaftServerImpl) division).getRole();
    }

    /** Whether the applied state is the newest there is. */
    public boolean mayRead() {
        LeaderStateImpl leader = role.getLeaderState().orElse(null);
        return leader != null && leader.isReady() && leader.hasLease();
    }

    /**
     * Lets a follower wait anew for a leader before it stands for election, as if it had just heard
     * of one; to be called more often than elections time out.
     */
    public void keepFollowing() {
        role.getFollowerState()
                .ifPresent(state -> state.updateLastRpcTime(FollowerState.UpdateType.REQUEST_VOTE));
    }

    /**
     * Forgets how far a follower was that now has less, if this division leads: it is sent
     * everything from the beginning, or a checkpoint.
     *
     * @param last index of its last entry, -1 when it has none
     * @return whether there was something to forget
     */
    public boolean forget(RaftPeerId follower, long last) {
        LeaderStateImpl leader = role.getLeaderState().orElse(null);
        if (leader == null) {
            return false;
        }
        LogAppender appender = leader.getLogAppender(follower).orElse(null);
        if (appender == null || appender.getFollower().getMatchIndex() <= last) {
            return false;
        }
        leader.restart(appender);
        return true;
    }

    /** The term in which the division leads and has applied its first entry, else -1. */
    public long readyTerm() {
        LeaderStateImpl leader = role.getLeaderState().orElse(null);
        if (leader == null || !leader.isReady()) {
            return -1;
        }
        try {
            return leader.getCurrentTerm();
        } catch (IllegalStateException e) {
            return -1; // the term is over and the leader is about to learn it
        }
    }
}
