package io.cairn.master.raft.member;

import io.cairn.base.Wording;
import io.cairn.master.raft.member.StateComparison.Difference;
import io.cairn.master.store.Membership;
import io.cairn.metadata.state.StateHash.Mark;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the state of this master with that of the others. When a majority holds another one,
 * this master stops for good. {@link #differing} may be called by any thread.
 */
final class StateWatch {
    private static final Logger LOG = LoggerFactory.getLogger(StateWatch.class);

    /** So long a follower stays, two seconds, so that the leader sees it too and tells. */
    private static final int LOOKS_TO_BE_SEEN = 4;

    private final MemberList members;
    private final Membership seat;
    private final Supplier<List<Mark>> own;
    private final Consumer<String> wrong;
    private final Set<String> told = new TreeSet<>();
    private int looks;
    private volatile Map<String, Difference> differing = Map.of();

    /**
     * Compares nothing yet.
     *
     * @param own the hashes of this master
     * @param wrong hears why this master must stop
     */
    StateWatch(
            MemberList members, Membership seat, Supplier<List<Mark>> own, Consumer<String> wrong) {
        this.members = members;
        this.seat = seat;
        this.own = own;
        this.wrong = wrong;
    }

    /** Compares, with what masters told lately; {@code leads} tells whether this one leads. */
    void look(Map<String, Hello> heard, boolean leads) {
        Map<String, List<Mark>> hashes = new HashMap<>();
        hashes.put(members.id(), own.get());
        String leader = leads ? members.id() : null;
        for (Hello each : heard.values()) {
            boolean isKin = each.stamp() == seat.stamp() && members.contains(each.id());
            if (isKin && each.votes()) {
                hashes.put(each.id(), each.hashes());
                leader = leader == null && each.leads() ? each.id() : leader;
            }
        }
        differing = StateComparison.of(hashes, members.peers().size(), leader);
        differing.forEach(this::tell);
        told.retainAll(differing.keySet());
        Difference mine = differing.get(members.id());
        looks = mine != null && mine.isCertain() ? looks + 1 : 0;
        if (mine != null && mine.isCertain() && (leads || looks >= LOOKS_TO_BE_SEEN)) {
            stop(mine);
        }
    }

    private void tell(String id, Difference difference) {
        if (told.add(id)) {
            LOG.error(
                    "the state of master {} after log entry {} differs from that of {}: {}",
                    id,
                    difference.index(),
                    difference.isCertain() ? "most masters" : "the leader",
                    difference.isCertain()
                            ? "it stops"
                            : "nobody can tell which is right, it does not lead. Remove the one"
                                    + " that you do not trust, empty it, and add it again");
        }
    }

    private void stop(Difference mine) {
        try {
            seat.markDiffering();
        } catch (IOException e) {
            LOG.error("that the state differs cannot be written down: {}", Wording.of(e));
        }
        wrong.accept(
                "the state of this master after log entry %d differs from that of most masters"
                        .formatted(mine.index()));
    }

    /** Whether a master holds another state than the others, as far as this one knows. */
    boolean isDiffering(String id) {
        return differing.containsKey(id);
    }

    /** The difference of this master, or null. */
    @Nullable Difference mine() {
        return differing.get(members.id());
    }
}
