package io.cairn.master.raft;

import io.cairn.metadata.state.Notice;
import java.util.List;

/** Hears what happens to the log. Called from threads of the log: must not block nor throw. */
public interface LogListener {
    /** This master leads now, with everything of earlier terms applied. */
    void leading(long term);

    /** This master does not lead any more. May come without {@link #leading} before it. */
    void following();

    /** Notices for sessions; only on the leader, in the order of the log. */
    void notices(List<Notice> notices);
}
