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

    /**
     * This master is none of the group any more, and does nothing for it from now on. Once.
     *
     * @param was whether it was one of them since this process began
     */
    default void dismissed(boolean was) {}
}
