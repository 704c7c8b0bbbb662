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
import java.util.Collections;
import java.util.HashMap;
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
 * The placement groups that have a member on this server, by the map. A map that knows an earlier
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
    private volatile Map<Integer, GroupService> parts = Map.of();
    private final Map<Integer, CompletableFuture<Void>> ending = new ConcurrentHashMap<>();

    /**
     * @param incarnation of this start of the process
     */
    public Groups(PeerContext station, List<StorageTarget> targets, long incarnation) {
        this.station = station;
        this.incarnation = incarnation;
        for (StorageTarget target : targets) {
            this.targets.put(target.identity(), target);
            stations.put(target, station.at(target.directory()));
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
     */
    public GroupService part(int group, long epoch) {
        GroupService part = parts.get(group);
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

    /** The target of a group here; null when there is none. */
    public @Nullable StorageTarget target(int group) {
        GroupService part = parts.get(group);
        return part == null ? null : part.member().term().target();
    }

    /** Done when no work for a group runs that this server had a part in before. */
    CompletableFuture<Void> quiet(int group) {
        return ending.getOrDefault(group, Futures.DONE);
    }

    /** All groups that this server has a part in. */
    public Map<Integer, GroupService> parts() {
        return parts;
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
        Map<Integer, Term> terms = terms(younger);
        Map<Integer, GroupService> next = new TreeMap<>();
        Map<Integer, GroupService> before = parts;
        Map<Integer, Set<Integer>> stored = new HashMap<>();
        terms.forEach(
                (group, term) -> {
                    GroupService part = before.get(group);
                    boolean stays = part != null && part.member().term().target() == term.target();
                    next.put(group, stays ? part : first(term, stored));
                });
        ending.values().removeIf(CompletableFuture::isDone);
        map = younger;
        parts = Collections.unmodifiableMap(next);
        before.forEach(
                (group, part) -> {
                    if (!part.equals(next.get(group))) {
                        ending.put(group, part.member().leave());
                    }
                });
        next.forEach(
                (group, part) -> {
                    Term term = terms.get(group);
                    if (term != null && part.equals(before.get(group))) {
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
        for (GroupService part : parts.values()) {
            var _ = part.member().leave();
        }
    }

    private Map<Integer, Term> terms(ClusterMap younger) {
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
        Map<Integer, Term> terms = new TreeMap<>();
        for (PlacementGroup group : groups.values()) {
            for (PlacementGroup.Member member : group.members()) {
                StorageTarget here = own.get(member.targetId());
                Term other = terms.get(group.id());
                if (here != null && (other == null || !other.isCurrent())) {
                    terms.put(group.id(), Term.of(younger, group, member.targetId(), here));
                }
            }
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
