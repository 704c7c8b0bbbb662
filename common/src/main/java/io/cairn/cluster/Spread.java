package io.cairn.cluster;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The rule which targets may be members of one group. No two are on one server. No more are in one
 * rack or zone than must be: with as many racks as copies each has a rack of its own, with fewer
 * they spread evenly as far as there are servers. Racks that are away count: what is there comes
 * back, or an administrator removes it. Servers that drain do not count. Immutable and thread-safe.
 *
 * <p>Where labels say which copy lies where, members may be in one rack or zone. Instead each of
 * them has a copy that it may have, and no two have the same one. What is so can always be
 * completed, if there are servers for all copies: that is a property of such matchings.
 */
public final class Spread {
    private static final FailureDomain[] LEVELS = {
        FailureDomain.SERVER, FailureDomain.RACK, FailureDomain.ZONE
    };
    private static final int SERVER = 0;
    private static final int USUAL_COPIES = 4;

    /** By level and target: the number of the domain that it is in. */
    private final int[][] domains;

    /** By level: how many servers that take members each domain has. */
    private final List<Map<Integer, Integer>> servers = new ArrayList<>();

    /** By level and copies, for the copies of usual pools: as each group asks for it. */
    private final int[][] usual = new int[LEVELS.length][USUAL_COPIES + 1];

    /** By target: which copies it may have, as {@link Labels.Expression#fitting}; else empty. */
    private final int[] fitting;

    /** The rule for pools on all servers of a map. */
    public Spread(ClusterMap map) {
        this(map, Labels.Expression.ANY);
    }

    /**
     * The rule for pools on servers with labels. Servers that may have no copy do not count.
     *
     * @param labels as {@link Pool#copyLabels} tells them
     */
    public Spread(ClusterMap map, Labels.Expression labels) {
        fitting = labels.isPerCopy() ? fitting(map, labels) : new int[0];
        domains = new int[LEVELS.length][map.targets().lastId() + 1];
        for (int level = 0; level < LEVELS.length; level++) {
            Map<String, Integer> numbers = new HashMap<>();
            Map<Integer, Integer> counts = new HashMap<>();
            servers.add(counts);
            Set<Integer> counted = new HashSet<>();
            for (Target target : map.targets()) {
                String domain = LEVELS[level].of(map, target.id());
                int number = numbers.computeIfAbsent(domain, _ -> numbers.size() + 1);
                domains[level][target.id()] = number;
                if (target.serverId() != 0
                        && !target.isDraining()
                        && labels.admits(map, target.id())
                        && counted.add(target.serverId())) {
                    counts.merge(number, 1, Integer::sum);
                }
            }
            for (int copies = 0; copies <= USUAL_COPIES; copies++) {
                usual[level][copies] = fewest(level, copies);
            }
        }
    }

    private static int[] fitting(ClusterMap map, Labels.Expression labels) {
        int[] fitting = new int[map.targets().lastId() + 1];
        for (Target target : map.targets()) {
            ChunkServer server = map.serverOfTarget(target.id());
            fitting[target.id()] = server == null ? 0 : labels.fitting(server.labels());
        }
        return fitting;
    }

    /** How many copies find a place on the servers of some targets, each on one of its own. */
    public static int places(ClusterMap map, Labels.Expression labels, List<Target> targets) {
        Map<Integer, Integer> servers = new HashMap<>();
        for (Target target : targets) {
            ChunkServer server = map.serverOfTarget(target.id());
            if (server != null && labels.admits(server.labels())) {
                servers.put(server.id(), labels.fitting(server.labels()));
            }
        }
        return labels.isPerCopy() ? matched(List.copyOf(servers.values())) : servers.size();
    }

    /** Whether labels say which copy lies where, so that racks and zones are merely preferred. */
    public boolean isPerCopy() {
        return fitting.length > 0;
    }

    /** Whether each of some targets has a copy that it may have, and no two have the same one. */
    public boolean isMatched(Collection<Integer> members) {
        return !isPerCopy()
                || matched(members.stream().map(this::fitting).toList()) == members.size();
    }

    /** Which copies a target may have, one bit for each; 0 where labels are for all copies. */
    public int fitting(int target) {
        return target < fitting.length ? fitting[target] : 0;
    }

    /** How many of some servers get a copy each: a maximum matching by augmenting paths. */
    private static int matched(List<Integer> servers) {
        int[] holders = new int[Integer.SIZE];
        Arrays.fill(holders, -1);
        int count = 0;
        for (int server = 0; server < servers.size(); server++) {
            count += augment(servers, server, holders, new boolean[Integer.SIZE]) ? 1 : 0;
        }
        return count;
    }

    private static boolean augment(
            List<Integer> servers, int server, int[] holders, boolean[] seen) {
        for (int copy = 0; copy < Integer.SIZE; copy++) {
            boolean mayHave = (servers.get(server) >>> copy & 1) != 0;
            if (!mayHave || seen[copy]) {
                continue;
            }
            seen[copy] = true;
            if (holders[copy] < 0 || augment(servers, holders[copy], holders, seen)) {
                holders[copy] = server;
                return true;
            }
        }
        return false;
    }

    /**
     * Whether a target may be a member beside others.
     *
     * @param others the targets that stay members
     * @param copies how many members the group has in all
     */
    public boolean mayJoin(int target, Collection<Integer> others, int copies) {
        if (isPerCopy()) {
            List<Integer> all = new ArrayList<>(others);
            all.add(target);
            return !isBeside(target, others) && isMatched(all);
        }
        for (int level = 0; level < LEVELS.length; level++) {
            int most = level == SERVER ? 1 : most(level, copies);
            if (beside(level, target, others) >= most) {
                return false;
            }
        }
        return true;
    }

    /**
     * How close a target is to others: 0 when it shares no server, rack and zone with any of them.
     */
    public int closeness(int target, Collection<Integer> others) {
        int sum = 0;
        for (int level = 0; level < LEVELS.length; level++) {
            sum += beside(level, target, others);
        }
        return sum;
    }

    /** Whether a target is on the server of one of the others. */
    public boolean isBeside(int target, Collection<Integer> others) {
        return beside(SERVER, target, others) > 0;
    }

    /** The domain of a target at a level of {@link #levels}, from the largest to the smallest. */
    public int domain(int depth, int target) {
        return domains[LEVELS.length - 1 - depth][target];
    }

    /** How many levels there are: zones, racks, servers. */
    public static int levels() {
        return LEVELS.length;
    }

    private int beside(int level, int target, Collection<Integer> others) {
        int count = 0;
        for (int other : others) {
            count += isOne(level, other, target) ? 1 : 0;
        }
        return count;
    }

    private boolean isOne(int level, int one, int other) {
        return one == other
                || (one < domains[level].length
                        && other < domains[level].length
                        && domains[level][one] == domains[level][other]);
    }

    /** The fewest members in one domain with which so many copies find a place. */
    private int most(int level, int copies) {
        return copies >= 0 && copies <= USUAL_COPIES ? usual[level][copies] : fewest(level, copies);
    }

    private int fewest(int level, int copies) {
        for (int most = 1; most < copies; most++) {
            int places = 0;
            for (int count : servers.get(level).values()) {
                places += Math.min(count, most);
            }
            if (places >= copies) {
                return most;
            }
        }
        return copies;
    }
}
