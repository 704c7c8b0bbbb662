package io.cairn.client.session;

import io.cairn.runtime.Clock;
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

    /** A message that asks for a right, for numbers, or for both. */
    record Question(long directory, long number, long session, ReserveNumbers message) {}

    /** Inode numbers that a session has reserved and not used. */
    static final class Numbers {
        /** With fewer numbers others are reserved. */
        private static final int FEW = 64;

        /** The next number and the end of each range. */
        private final ArrayDeque<long[]> ranges = new ArrayDeque<>();

        private long session;

        /** Numbers of this session that were taken for files that are being made. */
        private final Set<Long> taken = new HashSet<>();

        /** Whose numbers these are; 0 while there are none. */
        long session() {
            return session;
        }

        /** Numbers for a file in this session; 0 when there is none. */
        long take(long inSession) {
            if (session != inSession || ranges.isEmpty()) {
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
            if (count > 0) {
                ranges.add(new long[] {first, first + count});
            }
        }

        boolean isLow(long inSession) {
            return session != inSession
                    || ranges.stream().mapToLong(range -> range[1] - range[0]).sum() < FEW;
        }

        /** Whether there are some, and none is taken for a file that is being made. */
        boolean canGo() {
            return taken.isEmpty() && !ranges.isEmpty();
        }

        void clear() {
            ranges.clear();
            taken.clear();
            session = 0;
        }
    }

    private final Clock clock;
    private final Set<Long> directories = new HashSet<>();

    /** Until when a right is not asked for again. */
    private final Map<Long, Long> refused = new LinkedHashMap<>();

    /** Directories for which a right was asked, with the number of the question. */
    private final Map<Long, Long> asked = new HashMap<>();

    private long questions;

    /** Questions without an answer: numbers may come with it. */
    private int unanswered;

    private final Numbers numbers = new Numbers();

    /** Whether numbers are on their way back: no others are asked for. */
    private boolean isReturning;

    DirectoryRights(Clock clock) {
        this.clock = clock;
    }

    /** The numbers that are left. */
    Numbers numbers() {
        return numbers;
    }

    /** Whether nobody else changes names there now. */
    boolean has(long directory) {
        return directories.contains(directory);
    }

    /** Whether there is a right, so that numbers are of use. */
    boolean isUsed() {
        return !directories.isEmpty();
    }

    /**
     * Begins to ask for a right.
     *
     * @param directory 0 for numbers alone
     * @return what to send in this session; null when there is no use in asking
     */
    @Nullable Question ask(long directory, long session) {
        Long until = refused.get(directory);
        boolean isRefused = until != null && clock.millis() - until < 0;
        boolean isKnown = directories.contains(directory) || asked.containsKey(directory);
        if (isReturning || isRefused || isKnown) {
            return null;
        }
        questions++;
        unanswered++;
        asked.put(directory, questions);
        return new Question(
                directory,
                questions,
                session,
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
        unanswered--;
        long directory = question.directory();
        boolean isWanted = asked.remove(directory, question.number());
        Reserved given = reply instanceof Reply.BytesReply bytes ? Reserved.of(bytes) : null;
        if (given != null && question.session() == session) {
            numbers.add(session, given.firstIno(), given.count());
            if (directory == 0) {
                return false;
            }
            if (isWanted && given.isDelegated()) {
                directories.add(directory);
                return true;
            }
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
