package io.cairn.master.cluster;

import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.PlacementGroup.Member;
import io.cairn.cluster.Pool;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Gives heads of groups back to targets that lost them, by maintenance or by moves: all targets of
 * a pool head about as many groups. A few at a time, since writers wait a moment for each. A pure
 * function.
 */
final class HeadDecision {
    /** Fewer groups more than another one are no reason to change a head. */
    private static final int UNEVEN = 3;

    private static final int MOST = 8;

    private HeadDecision() {}

    /**
     * Puts the groups that get another head into the draft.
     *
     * @param nowMs milliseconds since 1970
     */
    static void decide(MapDraft draft, long nowMs) {
        ClusterMap map = draft.map();
        if (map.servers().stream().anyMatch(server -> server.isMaintained(nowMs))) {
            return;
        }
        int left = MOST;
        for (Pool pool : map.pools()) {
            left -= balance(draft, map.groupsOf(pool), left);
        }
    }

    private static int balance(MapDraft draft, List<PlacementGroup> groups, int most) {
        Map<Integer, Integer> heads = new HashMap<>();
        for (PlacementGroup group : groups) {
            Member head = group.head();
            if (head == null || !group.isComplete()) {
                return 0; // first all copies
            }
            heads.merge(head.targetId(), 1, Integer::sum);
        }
        int changed = 0;
        for (PlacementGroup group : groups) {
            Member head = group.head();
            if (head == null || changed == most || draft.changes(group.id())) {
                continue;
            }
            for (Member member : group.members()) {
                int fewer = heads.getOrDefault(member.targetId(), 0);
                if (member.state() == MemberState.SERVING
                        && heads.getOrDefault(head.targetId(), 0) >= fewer + UNEVEN) {
                    draft.put(group.headedBy(member.targetId(), draft.epoch()));
                    heads.merge(head.targetId(), -1, Integer::sum);
                    heads.merge(member.targetId(), 1, Integer::sum);
                    changed++;
                    break;
                }
            }
        }
        return changed;
    }
}
