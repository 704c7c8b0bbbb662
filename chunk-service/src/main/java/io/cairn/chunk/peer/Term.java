package io.cairn.chunk.peer;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.store.StorageTarget;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Pool;
import io.cairn.net.Callee;
import io.cairn.net.Message;
import io.cairn.wire.chunk.ChunkRequest.WriteMark;
import io.cairn.wire.chunk.HeadRequest.ToTarget;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A placement group in one epoch, as seen from this server, which holds one of its targets.
 * Immutable but for its end. Thread-safe.
 */
public final class Term {
    /**
     * Another current member: it must receive every write.
     *
     * @param serving SERVING; else SYNCING
     * @param isBeside whether its server has another current member, so that a request has to say
     *     for which of them it is
     */
    public record Peer(int targetId, boolean serving, Callee server, boolean isBeside) {
        /** A request for this member, to be sent to its server. */
        public Message addressed(Message request) {
            return isBeside ? request.after(ToTarget.prefix(targetId)) : request;
        }

        /** Where it listens. */
        public Endpoint endpoint() {
            return server.endpoint();
        }
    }

    private final PlacementGroup group;
    private final int targetId;
    private final StorageTarget target;
    private final @Nullable MemberState state;
    private final boolean head;
    private final List<Peer> peers;
    private final List<String> away;
    private final boolean isShort;
    private final Map<Long, CompletableFuture<?>> questions = new LinkedHashMap<>();
    private long lastQuestion;
    private boolean ended;

    private Term(
            PlacementGroup group,
            int targetId,
            StorageTarget target,
            List<Peer> peers,
            List<String> away,
            boolean isShort) {
        this.group = group;
        this.targetId = targetId;
        this.target = target;
        this.state = group.stateOf(targetId);
        PlacementGroup.Member first = group.head();
        this.head = first != null && first.targetId() == targetId;
        this.peers = List.copyOf(peers);
        this.away = List.copyOf(away);
        this.isShort = isShort;
    }

    /**
     * The group as the map has it.
     *
     * @param targetId number of the target on this server that belongs to the group
     */
    public static Term of(
            ClusterMap map, PlacementGroup group, int targetId, StorageTarget target) {
        List<Peer> peers = new ArrayList<>();
        List<String> away = new ArrayList<>();
        for (PlacementGroup.Member member : group.members()) {
            if (member.targetId() == targetId) {
                continue;
            }
            ChunkServer server = map.serverOfTarget(member.targetId());
            if (!group.isCurrent(member.targetId())) {
                away.add(server == null ? "target " + member.targetId() : server.name());
                continue;
            }
            if (server == null) {
                throw new FsException(
                        Errno.EPROTO,
                        "the cluster map names target "
                                + member.targetId()
                                + " in group "
                                + group.id()
                                + " but no server that holds it");
            }
            boolean serving = member.state() == MemberState.SERVING;
            boolean isBeside = map.isBesideMember(group, member.targetId());
            peers.add(new Peer(member.targetId(), serving, Callee.of(server), isBeside));
        }
        Pool pool = map.pool(group.poolId());
        boolean isShort = pool != null && map.servingServers(group) < pool.replicas();
        return new Term(group, targetId, target, peers, away, isShort);
    }

    public int groupId() {
        return group.id();
    }

    public long epoch() {
        return group.epoch();
    }

    /** Epoch since when no acknowledged write can have been lost. */
    public long unbrokenSince() {
        return group.unbrokenSince();
    }

    /**
     * Whether a write, seen when the group came back in {@link #unbrokenSince}, shows that another
     * one acknowledged before is there too: it is the same or a later one, and nothing was lost in
     * between.
     */
    public boolean shows(@Nullable WriteMark seen, WriteMark before) {
        if (seen == null || seen.epoch() < before.epoch()) {
            return false;
        }
        return seen.epoch() == before.epoch()
                ? seen.sequence() >= before.sequence()
                : before.epoch() >= group.unbrokenBefore();
    }

    public PlacementGroup group() {
        return group;
    }

    /** Number of the target here. */
    public int targetId() {
        return targetId;
    }

    /** The directory here that holds the group's chunks. */
    public StorageTarget target() {
        return target;
    }

    /** Whether this server orders the writes. */
    public boolean isHead() {
        return head;
    }

    /** Whether this server has every acknowledged byte. */
    public boolean isServing() {
        return state == MemberState.SERVING;
    }

    /** Whether this server must receive every write. */
    public boolean isCurrent() {
        return isServing() || (state != null && state.isSyncing());
    }

    /** All other current members, in the order of the group. */
    public List<Peer> peers() {
        return peers;
    }

    /** The servers of members that receive nothing now, and may come back with what they have. */
    public List<String> away() {
        return away;
    }

    /** Whether fewer members serve than there shall be copies. */
    public boolean isShort() {
        return isShort;
    }

    /** The other members that have every acknowledged byte. */
    public List<Peer> servingPeers() {
        return peers.stream().filter(Peer::serving).toList();
    }

    /** The head, when it is another member. */
    public @Nullable Peer headPeer() {
        PlacementGroup.Member first = group.head();
        if (head || first == null) {
            return null;
        }
        for (Peer peer : peers) {
            if (peer.targetId() == first.targetId()) {
                return peer;
            }
        }
        return null;
    }

    /** Fails a question with WRONG_EPOCH if it is still open when a younger epoch takes over. */
    void limit(CompletableFuture<?> question) {
        long number;
        synchronized (questions) {
            number = ++lastQuestion;
            if (!ended) {
                questions.put(number, question);
            }
        }
        if (hasEnded()) {
            question.completeExceptionally(over());
        }
        var _ = question.whenComplete((reply, thrown) -> remove(number));
    }

    private void remove(long number) {
        synchronized (questions) {
            questions.remove(number);
        }
    }

    /** A younger epoch took over. */
    public void end() {
        List<CompletableFuture<?>> open;
        synchronized (questions) {
            ended = true;
            open = List.copyOf(questions.values());
        }
        open.forEach(question -> question.completeExceptionally(over()));
    }

    /** Whether a younger epoch took over. */
    public boolean hasEnded() {
        synchronized (questions) {
            return ended;
        }
    }

    private FsException over() {
        return new FsException(Errno.WRONG_EPOCH, this + " has ended");
    }

    /** Whether another term says the same about this group. */
    public boolean isSameAs(Term other) {
        return group.epoch() == other.group.epoch()
                && group.members().equals(other.group.members())
                && targetId == other.targetId
                && Objects.equals(peers, other.peers);
    }

    @Override
    public String toString() {
        return "group " + group.id() + " in epoch " + group.epoch();
    }
}
