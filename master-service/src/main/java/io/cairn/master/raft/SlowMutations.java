package io.cairn.master.raft;

import io.cairn.master.load.SlowMutation;
import io.cairn.trace.SlowRing;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.MutationType;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The slowest mutations that this master has logged in the last five minutes. Thread-safe. */
final class SlowMutations {
    /** A code is a byte. */
    private static final int CODES = 256;

    private static final int QUEUE = 0;
    private static final int LOG = 1;
    private static final int APPLY = 2;
    private static final int PARTS = 3;

    private final SlowRing ring = new SlowRing(CODES, PARTS);
    private final long patienceNs;

    /**
     * None yet.
     *
     * @param patienceNs between the submission of an operation and its deadline
     */
    SlowMutations(long patienceNs) {
        this.patienceNs = patienceNs;
    }

    /** A group was applied, just now. */
    void applied(Group group, long nowNs) {
        for (Group.Operation operation : group.operations()) {
            long beganNs = operation.deadlineNs() - patienceNs;
            long totalNs = nowNs - beganNs;
            if (totalNs > SlowRing.LEAST_NS) {
                keep(operation, group, totalNs, nowNs);
            }
        }
    }

    private void keep(Group.Operation operation, Group group, long totalNs, long nowNs) {
        int kind = Envelope.codeOf(operation.frame(), operation.offset());
        if (ring.isSlow(kind, totalNs, nowNs)) {
            ring.keep(
                    kind,
                    totalNs,
                    nowNs,
                    0,
                    Envelope.sessionOf(operation.frame(), operation.offset()),
                    group.proposedNs() - (nowNs - totalNs),
                    group.applyingNs() - group.proposedNs(),
                    nowNs - group.applyingNs());
        }
    }

    /** The slowest first. */
    List<SlowMutation> list(long nowNs) {
        return ring.entries(nowNs).stream().map(entry -> told(entry, nowNs)).toList();
    }

    private static String type(int code) {
        return Arrays.stream(MutationType.values())
                .filter(type -> type.code() == code)
                .map(type -> type.name().toLowerCase(Locale.ROOT))
                .findFirst()
                .orElse("mutation " + code);
    }

    private static SlowMutation told(SlowRing.Entry entry, long nowNs) {
        return new SlowMutation(
                type(entry.kind()),
                entry.actor(),
                nowNs - entry.endedNs(),
                entry.totalNs(),
                entry.partsNs().get(QUEUE),
                entry.partsNs().get(LOG),
                entry.partsNs().get(APPLY));
    }
}
