package io.cairn.simulation;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/** What a leader knows of another master. */
final class RaftProgress {
    /** The entry to send next. */
    long next;

    /** Up to this entry the other master's disk has the same log. */
    long match;

    /** When what it answered last was sent, or the least number. */
    long heardNs = Long.MIN_VALUE;

    RaftProgress(long next) {
        this.next = next;
    }

    /** Up to which entry a majority has the log on its disks; {@code own} is that of the leader. */
    static long safe(long own, Collection<RaftProgress> others) {
        return majority(own, others.stream().map(each -> each.match));
    }

    /** Whether a majority has answered what was sent within a time. */
    static boolean isHeard(long nowNs, long withinNs, Collection<RaftProgress> others) {
        long since = majority(nowNs, others.stream().map(each -> each.heardNs));
        return since != Long.MIN_VALUE && nowNs - since < withinNs;
    }

    private static long majority(long own, Stream<Long> others) {
        List<Long> values = new ArrayList<>(others.toList());
        values.add(own);
        return values.stream().sorted().toList().get((values.size() - 1) / 2);
    }
}
