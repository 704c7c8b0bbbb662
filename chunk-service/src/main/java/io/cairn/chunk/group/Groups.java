package io.cairn.chunk.group;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.peer.PeerContext;
import io.cairn.chunk.peer.Term;
import io.cairn.chunk.store.StorageTarget;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Target;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The placement groups that have a member on this server, by the map. While one moves between two
 * disks of this server, both have one, each with a part of its own. A map that knows an earlier
 * start of this process gives it no part in any: the master has not decided yet what the restart
 * means. Thread-safe.
 */
public final class Groups {
    private static final Logger LOG = LoggerFactory.getLogger(Groups.class);

    private final PeerContext station;
    private final long incarnation;
    private final EpochFence fence = new EpochFence();
    private final Map<Long, StorageTarget> targets = new HashMap<>();
    private final Map<StorageTarget, PeerContext> stations = new HashMap<>();
    private volatile ClusterMap map = ClusterMap.EMPTY;
    private volatile Map<Place, GroupService> parts = Map.of();
    private final Map<Place, CompletableFuture<Void>> ending = new ConcurrentHashMap<>();

    /** By group: the part of the head, if it is here, then those of other serving members. */
    private volatile Map<Integer, List<GroupService>> byGroup = Map.of();

    /** Where a member is. */
    private record Place(int group, StorageTarget target) {}

    /**
     * @param incarnation of this start of the process
     */
    public Groups(PeerContext station, List<StorageTarget> targets, long incarnation) {
        this.station = station;
        this.incarnation = incarnation;
        for (StorageTarget target : targets) {
            this.targets.put(target.identity(), target);
            stations.put(target, station.at(target.directory(), targets.size()));
        }
    }

    /** Number of this start of the process. */
    public long incarnation() {
        return incarnation;
    }

    /** The map in force; empty before the first heartbeat. */
    public ClusterMap map() {
        return map;
    }

    /**
     * Whether a map of an epoch, or a younger one, is in force with all its terms: waits for a
     * thread that goes over to one. A lease given with that map must not let an older term go on.
     */
    public synchronized boolean reaches(long epoch) {
        return map.epoch() >= epoch;
    }

    public EpochFence fence() {
        return fence;
    }

    /**
     * The work of this server for a group. WRONG_EPOCH when it has no part in it by its map,
     * NOT_READY when it has no map or lease.
     *
     * @param targetId the number of the target whose member is meant; 0: the one that serves
     */
    public GroupService part(int group, long epoch, int targetId) {
        GroupService part = find(group, targetId);
        if (part != null) {
            return part;
        }
        fence.note(group, epoch);
        station.lease().check();
        throw new FsException(Errno.WRONG_EPOCH, "group " + group + " has no member here");
    }

    /** The users of the disk of a target. */
    public PeerContext station(StorageTarget target) {
        PeerContext own = stations.get(target);
        return own == null ? station : own;
    }

    /** The work that {@link #part} finds; null when there is none. */
    public @Nullable GroupService find(int group, int targetId) {
        for (GroupService part : byGroup.getOrDefault(group, List.of())) {
            if (targetId == 0 || part.member().term().targetId() == targetId) {
                return part;
            }
        }
        return null;
    }

    /** The work for the member of a group on a target of this server; null when it has none. */
    public @Nullable GroupService find(int group, StorageTarget target) {
        return parts.get(new Place(group, target));
    }

    /** Done when no work for a group runs that a target had a part in before. */
    CompletableFuture<Void> quiet(int group, StorageTarget target) {
        return ending.getOrDefault(new Place(group, target), Futures.DONE);
    }

    /** All work for groups. */
    public Collection<GroupService> parts() {
        return parts.values();
    }

    /**
     * Goes over to a map, unless it is older. Blocks; one at a time.
     *
     * @throws FsException EPROTO when the map contradicts itself; the old one stays
     */
    public synchronized void accept(ClusterMap younger) {
        if (younger.epoch() < map.epoch()) {
            return;
        }
        Map<Place, Term> terms = terms(younger);
        Map<Place, GroupService> next = new LinkedHashMap<>();
        Map<Place, GroupService> before = parts;
        Map<Integer, Set<Integer>> stored = new HashMap<>();
        Map<Integer, List<GroupService>> grouped = new HashMap<>();
        terms.forEach(
                (place, term) -> {
                    GroupService known = before.get(place);
                    GroupService part = known == null ? first(term, stored) : known;
                    next.put(place, part);
                    grouped.computeIfAbsent(place.group, _ -> new ArrayList<>(1)).add(part);
                });
        ending.values().removeIf(CompletableFuture::isDone);
        map = younger;
        parts = Collections.unmodifiableMap(next);
        byGroup = grouped;
        before.forEach(
                (place, part) -> {
                    if (!next.containsKey(place)) {
                        ending.put(place, part.member().leave());
                    }
                });
        next.forEach(
                (place, part) -> {
                    Term term = terms.get(place);
                    if (term != null && before.containsKey(place)) {
                        part.member().accept(term);
                    } else {
                        part.member().begin();
                    }
                });
        LOG.info(
                "cluster map {}: groups of this server: {}, incomplete: {}",
                younger.epoch(),
                terms.size(),
                terms.values().stream().filter(term -> !term.group().isComplete()).count());
    }

    /** Ends all parts: this server stops. */
    public void leave() {
        for (GroupService part : parts()) {
            var _ = part.member().leave();
        }
    }

    /** In the order of the groups; of each group first the one that serves clients. */
    private Map<Place, Term> terms(ClusterMap younger) {
        Map<Integer, StorageTarget> own = new HashMap<>();
        Map<Integer, PlacementGroup> groups = new TreeMap<>();
        for (StorageTarget here : targets.values()) {
            Target target = younger.targetOf(here.identity());
            ChunkServer server = target == null ? null : younger.server(target.serverId());
            if (target != null && server != null && server.incarnation() == incarnation) {
                own.put(target.id(), here);
                younger.groupsOf(target).forEach(group -> groups.put(group.id(), group));
            }
        }
        Map<Place, Term> terms = new LinkedHashMap<>();
        for (PlacementGroup group : groups.values()) {
            List<Term> found = new ArrayList<>(1);
            for (PlacementGroup.Member member : group.members()) {
                StorageTarget here = own.get(member.targetId());
                if (here != null) {
                    found.add(Term.of(younger, group, member.targetId(), here));
                }
            }
            found.sort(
                    Comparator.comparing(Term::isHead)
                            .thenComparing(Term::isServing)
                            .thenComparing(Term::isCurrent)
                            .reversed());
            found.forEach(term -> terms.put(new Place(group.id(), term.target()), term));
        }
        return terms;
    }

    private GroupService first(Term term, Map<Integer, Set<Integer>> stored) {
        boolean fresh =
                term.servingPeers().isEmpty()
                        || !stored.computeIfAbsent(
                                        term.targetId(), id -> Set.copyOf(term.target().groups()))
                                .contains(term.groupId());
        PeerContext own = station(term.target());
        return GroupService.of(own, new GroupMember(own, fence, term, fresh));
    }
}
