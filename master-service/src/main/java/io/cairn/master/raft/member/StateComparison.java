package io.cairn.master.raft.member;

import io.cairn.metadata.state.StateHash.Mark;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Compares the hashes of masters after the same log entry. What a majority of all masters holds is
 * right. Without a majority for anything the leader's state counts, because clients have seen that
 * one; but then nobody can tell which of both is wrong. Pure.
 */
final class StateComparison {
    private StateComparison() {}

    /**
     * The verdict about one master.
     *
     * @param index the log entry after which its state differs
     * @param isCertain whether a majority of all masters agrees on another state
     */
    record Difference(long index, boolean isCertain) {}

    /**
     * Compares.
     *
     * @param hashes the newest hashes of each master that told some, this one included
     * @param masters how many masters there are
     * @param leader the name of the leader; null when there is none
     * @return those that differ, by name
     */
    static Map<String, Difference> of(
            Map<String, ? extends Collection<Mark>> hashes, int masters, @Nullable String leader) {
        Map<Long, Map<String, Long>> byIndex = new TreeMap<>();
        hashes.forEach(
                (id, marks) ->
                        marks.forEach(
                                mark ->
                                        byIndex.computeIfAbsent(mark.index(), _ -> new TreeMap<>())
                                                .put(id, mark.hash())));
        Map<String, Difference> differing = new TreeMap<>();
        byIndex.forEach(
                (index, told) -> {
                    Map<Long, Integer> counts = new HashMap<>();
                    told.values().forEach(hash -> counts.merge(hash, 1, Integer::sum));
                    if (counts.size() > 1) {
                        judge(index, told, right(counts, masters), leader, differing);
                    }
                });
        return differing;
    }

    /** What a majority holds, or null. */
    private static @Nullable Long right(Map<Long, Integer> counts, int masters) {
        return counts.entrySet().stream()
                .filter(each -> 2 * each.getValue() > masters)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(null);
    }

    private static void judge(
            long index,
            Map<String, Long> told,
            @Nullable Long majority,
            @Nullable String leader,
            Map<String, Difference> into) {
        Long right = majority != null ? majority : leader == null ? null : told.get(leader);
        if (right != null) {
            told.forEach(
                    (id, hash) -> {
                        if (!hash.equals(right)) {
                            into.putIfAbsent(id, new Difference(index, majority != null));
                        }
                    });
        }
    }
}
