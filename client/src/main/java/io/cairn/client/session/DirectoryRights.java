package io.cairn.client.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.Errno;
import io.cairn.runtime.Clock;
import io.cairn.wire.Limits;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation.ReserveNumbers;
import io.cairn.wire.master.SessionMutation.Reserved;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The directories in which this mount alone changes names, and the inode numbers for what it makes
 * there. Guarded by {@link YoungFiles}.
 */
final class DirectoryRights {
    /** Directories for which a right was refused not long ago. */
    private static final int MAX_REFUSED = 1024;

    private static final long REFUSED_MS = 1500;

    /** No right is asked for so long where the masters give none to anybody. */
    private static final long NOWHERE_MS = 3000;

    /**
     * How long this mount may change names alone where it has the right: {@link
     * Limits#RIGHT_LEASE_MS} after it sent the last request that the master has answered. The
     * master takes the rights of a session from which it has heard nothing for a quarter longer.
     * Measured by the monotonic clock and the wall clock: one of them stands still while the
     * machine sleeps, the other one is set. Once over it stays so for all rights of before,
     * whatever is answered later. Thread-safe; short.
     */
    static final class Lease {
        /** A moment on both clocks, in milliseconds. */
        record Moment(long ms, long wallMs) {}

        private final Clock clock;

        @GuardedBy("this")
        private long endMs;

        @GuardedBy("this")
        private long endWallMs;

        /** How often it has begun anew. */
        @GuardedBy("this")
        private long period;

        Lease(Clock clock) {
            this.clock = clock;
            Moment now = now();
            this.endMs = now.ms;
            this.endWallMs = now.wallMs;
        }

        /** To be taken before a request is sent. */
        Moment now() {
            return new Moment(clock.millis(), clock.wallNs() / 1_000_000);
        }

        /** A request that was sent then has been answered by who leads. */
        synchronized void answered(Moment sent) {
            if (!runs(endMs, endWallMs)) {
                period++;
            } else if (sent.ms + Limits.RIGHT_LEASE_MS - endMs <= 0) {
                return;
            }
            endMs = sent.ms + Limits.RIGHT_LEASE_MS;
            endWallMs = sent.wallMs + Limits.RIGHT_LEASE_MS;
        }

        private boolean runs(long untilMs, long untilWallMs) {
            Moment now = now();
            return untilMs - now.ms > 0 && untilWallMs - now.wallMs > 0;
        }

        /** Whether what is given in the answer to a request that was sent then is certain now. */
        boolean covers(Moment sent) {
            return runs(sent.ms + Limits.RIGHT_LEASE_MS, sent.wallMs + Limits.RIGHT_LEASE_MS);
        }

        /** Which lease runs now, above 0; 0 while none does. Rights of another one have ended. */
        synchronized long period() {
            return runs(endMs, endWallMs) ? period : 0;
        }
    }

    /** A message that asks for a right, for numbers, or for both. */
    record Question(
            long directory,
            long number,
            long session,
            Lease.Moment asked,
            ReserveNumbers message) {}

    /** Inode numbers that a session has reserved and not used. */
    static final class Numbers {
        /** With fewer numbers others are reserved. */
        private static final int FEW = 64;

        /** The next number and the end of each range. */
        private final ArrayDeque<long[]> ranges = new ArrayDeque<>();

        private long session;

        /** Goes along with removals; used for nothing else. 0 while there is none. */
        private long ofRemovals;

        /** Whether rights that they served have ended: they go back, and none is used. */
        private boolean isOver;

        /** Numbers of this session that were taken for files that are being made. */
        private final Set<Long> taken = new HashSet<>();

        /** Whose numbers these are; 0 while there are none. */
        long session() {
            return session;
        }

        /** Numbers for a file in this session; 0 when there is none. */
        long take(long inSession) {
            if (session != inSession || isOver || ranges.isEmpty()) {
                return 0;
            }
            long[] range = ranges.getFirst();
            long ino = range[0]++;
            if (range[0] == range[1]) {
                ranges.removeFirst();
            }
            taken.add(ino);
            return ino;
        }

        /** A number that was taken is the one of a file; false when it is of another session. */
        boolean use(long ino) {
            return taken.remove(ino);
        }

        /** A number that was taken is not used. */
        void putBack(long ino) {
            if (taken.remove(ino)) {
                ranges.addFirst(new long[] {ino, ino + 1});
            }
        }

        /** A session has reserved some; those of another one are forgotten. */
        void add(long inSession, long first, int count) {
            if (session != inSession) {
                clear();
                session = inSession;
            }
            boolean isFirst = ofRemovals == 0 && !isOver && count > 1;
            if (isFirst) {
                ofRemovals = first + count - 1;
            }
            if (count > 0) {
                ranges.add(new long[] {first, isFirst ? ofRemovals : first + count});
            }
        }

        /** What goes along with removals in a session; 0 while there is none. */
        long ofRemovals(long inSession) {
            return session == inSession && !isOver ? ofRemovals : 0;
        }

        /** Rights that they served have ended. */
        void end() {
            isOver = session != 0;
        }

        boolean isOver() {
            return isOver;
        }

        boolean isLow(long inSession) {
            return session != inSession
                    || ranges.stream().mapToLong(range -> range[1] - range[0]).sum() < FEW;
        }

        /** Whether there are some, and none is taken for a file that is being made. */
        boolean canGo() {
            return taken.isEmpty() && (isOver || !ranges.isEmpty());
        }

        void clear() {
            ranges.clear();
            taken.clear();
            session = 0;
            ofRemovals = 0;
            isOver = false;
        }
    }

    private final Clock clock;
    private final Lease lease;

    /** The lease in which the rights were given. */
    private long period;

    private final Set<Long> directories = new HashSet<>();

    /** Until when a right is not asked for again. */
    private final Map<Long, Long> refused = new LinkedHashMap<>();

    /** Until when no right is asked for. */
    private long nowhereMs;

    /** Directories for which a right was asked, with the number of the question. */
    private final Map<Long, Long> asked = new HashMap<>();

    private long questions;

    /** Questions without an answer: numbers may come with it. */
    private int unanswered;

    private final Numbers numbers = new Numbers();

    /** Whether numbers are on their way back: no others are asked for. */
    private boolean isReturning;

    DirectoryRights(Clock clock, Lease lease) {
        this.clock = clock;
        this.lease = lease;
        this.nowhereMs = clock.millis();
    }

    /** Ends rights whose lease is over. */
    private void look() {
        long now = lease.period();
        if (now != period || now == 0) {
            directories.clear();
            numbers.end();
            period = now;
        }
    }

    /** A number in a session; 0 when there is none. */
    long take(long session) {
        look();
        return numbers.take(session);
    }

    /** What goes along with removals in a session; 0 when there is none. */
    long removalNumber(long session) {
        look();
        return numbers.ofRemovals(session);
    }

    /** A number that was taken is not used: it may be the one of another directory soon. */
    void putBack(long ino) {
        numbers.putBack(ino);
        refused.remove(ino);
    }

    /** The numbers that are left. */
    Numbers numbers() {
        return numbers;
    }

    /** Whether nobody else changes names there now. */
    boolean has(long directory) {
        look();
        return directories.contains(directory);
    }

    /** Whether there is a right, so that numbers are of use. */
    boolean isUsed() {
        look();
        return !directories.isEmpty();
    }

    /**
     * Begins to ask for a right.
     *
     * @param directory 0 for numbers alone
     * @return what to send in this session; null when there is no use in asking
     */
    @Nullable Question ask(long directory, long session) {
        look();
        Long until = refused.get(directory);
        long nowMs = clock.millis();
        boolean isRefused =
                until != null && nowMs - until < 0 || directory != 0 && nowMs - nowhereMs < 0;
        boolean isKnown = directories.contains(directory) || asked.containsKey(directory);
        if (isReturning || numbers.isOver() || isRefused || isKnown) {
            return null;
        }
        questions++;
        unanswered++;
        asked.put(directory, questions);
        return new Question(
                directory,
                questions,
                session,
                lease.now(),
                new ReserveNumbers(directory, numbers.isLow(session)));
    }

    /**
     * A question is over.
     *
     * @param reply null when there was none
     * @param session the one of now
     * @return whether a right was given
     */
    boolean answered(Question question, @Nullable Reply reply, long session) {
        look();
        unanswered--;
        long directory = question.directory();
        boolean isWanted = asked.remove(directory, question.number());
        Reserved given = reply instanceof Reply.BytesReply bytes ? Reserved.of(bytes) : null;
        if (given != null && question.session() == session) {
            numbers.add(session, given.firstIno(), given.count());
            boolean isFull = question.message().wantsNumbers() && given.count() == 0;
            if (isFull || !lease.covers(question.asked())) {
                // Answers with numbers were lost, or the masters may have taken what they gave.
                // Other rights need numbers, too: they end as well, so that these can go back.
                numbers.end();
                directories.clear();
            }
            if (directory == 0) {
                return false;
            }
            if (isWanted && given.isDelegated() && !numbers.isOver()) {
                directories.add(directory);
                return true;
            }
        }
        if (reply instanceof Reply.Failure failure && failure.errno() == Errno.EOPNOTSUPP) {
            nowhereMs = clock.millis() + NOWHERE_MS;
        }
        refused.remove(directory);
        refused.put(directory, clock.millis() + REFUSED_MS);
        if (refused.size() > MAX_REFUSED) {
            refused.remove(refused.keySet().iterator().next());
        }
        return false;
    }

    /** A right ends, and one that was asked for is not taken; 0 for all. */
    void drop(long directory) {
        if (directory == 0) {
            directories.clear();
            asked.clear();
        } else {
            directories.remove(directory);
            asked.remove(directory);
        }
    }

    /** A right is of no use any more; the masters take it back by themselves. */
    void lose(long directory) {
        directories.remove(directory);
    }

    /**
     * Takes all numbers, when they serve for nothing any more, to give them back.
     *
     * @return the session that gives them back; 0 when they stay
     */
    long beginReturn() {
        look();
        if (!directories.isEmpty() || unanswered != 0 || isReturning || !numbers.canGo()) {
            return 0;
        }
        long session = numbers.session();
        numbers.clear();
        isReturning = true;
        return session;
    }

    /** The numbers were given back. */
    void returned() {
        isReturning = false;
    }
}
