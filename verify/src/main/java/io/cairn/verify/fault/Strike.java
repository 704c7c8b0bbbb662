package io.cairn.verify.fault;

import io.cairn.verify.process.Member;
import java.io.IOException;
import java.util.List;

/**
 * One fault that is about to happen.
 *
 * @param what what exactly
 * @param hit the processes that are hit themselves
 * @param ends whether they end, and are started again by {@code mend}
 * @param losesPower whether all power is cut, so that unsynced bytes are lost
 * @param begin breaks it
 * @param mend mends it
 */
public record Strike(
        String what,
        List<Member> hit,
        boolean ends,
        boolean losesPower,
        Action begin,
        Action mend) {
    /** A step that may fail. */
    @FunctionalInterface
    public interface Action {
        void run() throws IOException;
    }
}
