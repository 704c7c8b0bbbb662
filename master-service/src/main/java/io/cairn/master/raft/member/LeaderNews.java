package io.cairn.master.raft.member;

import java.util.Objects;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells in the log who leads. An election is news; that it comes to nothing is what somebody should
 * look at. Not thread-safe.
 */
final class LeaderNews {
    private static final Logger LOG = LoggerFactory.getLogger(LeaderNews.class);

    /** Five seconds without a leader, ten looks each, are no election any more. */
    private static final int WARN_AFTER = 50;

    private final MemberList members;
    private final RaftServer.Division division;
    private @Nullable RaftPeerId leader;
    private long term;
    private int withoutLeader;

    LeaderNews(MemberList members, RaftServer.Division division) {
        this.members = members;
        this.division = division;
    }

    /** Called every tenth of a second. */
    void look() {
        RaftPeerId now = division.getInfo().getLeaderId();
        long nowTerm = division.getInfo().getCurrentTerm();
        withoutLeader = now == null && leader == null && term > 0 ? withoutLeader + 1 : 0;
        if (withoutLeader == WARN_AFTER) {
            LOG.warn(
                    "{}: no master leads since term {}, for {} s now; a majority of {} must run and"
                            + " reach each other",
                    members.id(),
                    term,
                    WARN_AFTER / 10,
                    String.join(", ", members.ids()));
        }
        if (Objects.equals(now, leader) && (now == null || nowTerm == term)) {
            return;
        }
        if (now == null) {
            LOG.info(
                    "{}: no master leads after {} in term {}; the masters elect one",
                    members.id(),
                    leader,
                    term);
        } else {
            LOG.info("{}: {} leads in term {}", members.id(), now, nowTerm);
        }
        leader = now;
        term = nowTerm;
    }
}
