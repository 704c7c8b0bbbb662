package io.cairn.master.raft.member;

import io.cairn.base.Wording;
import io.cairn.cluster.Endpoint;
import io.cairn.master.MasterGroup.Share;
import io.cairn.master.store.Membership;
import io.cairn.metadata.Namespace;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.impl.LeaderGate;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides when this master gets its vote, and watches the others for such that lost theirs.
 *
 * <p>A cluster is founded when every single master answers, was told to found, has the same list of
 * masters, and holds nothing. So there is no namespace anywhere that could be forgotten, even if
 * somebody leaves the order to found in the settings for ever.
 *
 * <p>Else a master without a vote waits for a leader. When it has applied all that the leader had
 * in its log after this process began, it knows everything that it may have helped to acknowledge
 * before it lost its directory. When no master that answers knows a later term, it cannot have
 * voted in one.
 *
 * <p>A master that joins a group gets its vote in the same way, but not before the leader counts it
 * among the masters. One that the leader counts no longer stops.
 *
 * <p>When the directories of a majority are lost for good, an operator tells a master that has its
 * own to recover the cluster ({@link Recovery}). Masters without a vote let that one lead. It leads
 * alone until enough of them have everything; then they get their votes as ever. Directories of
 * other masters from before are refused.
 *
 * <p>One thread calls {@link #tick}; the rest is thread-safe.
 */
public final class Admission {
    private static final Logger LOG = LoggerFactory.getLogger(Admission.class);

    /** Twice a second; more often without a vote. */
    private static final int ASK_EVERY = 5;

    private final MemberList members;
    private final boolean isFounding;
    private final Membership seat;
    private final RaftServer.Division division;
    private final LeaderGate gate;
    private final HelloQuestions others;
    private final Supplier<Namespace> state;
    private final BooleanSupplier low;
    private final Runnable leave;
    private final long incarnation;
    private final Endpoint client;

    /** Incarnations whose old place in the log this leader has forgotten. */
    private final Map<String, Long> forgotten = new HashMap<>();

    private @Nullable Target target;
    private volatile @Nullable String waiting;
    private int untilAsking;

    /** The index that others must hold before a recovery is over, -1 while it has not begun. */
    private long recoveredIndex = -1;

    private volatile boolean isStateRecovered;

    private volatile boolean wasCounted;
    private final LeaderNews news;
    private final StateWatch states;

    /** The index that must be applied, of which leader. */
    private record Target(long term, long index) {}

    /**
     * The facts that it looks at.
     *
     * @param state what was applied
     * @param low whether the disk has too little room to lead
     * @param ends what becomes of this master
     */
    public record Environment(
            RaftServer.Division division,
            LeaderGate gate,
            HelloQuestions others,
            Supplier<Namespace> state,
            BooleanSupplier low,
            Ends ends) {}

    /**
     * What becomes of this master.
     *
     * @param leave hears, once or more, that this master is none of the group any more
     * @param wrong hears why this master must stop for good
     */
    public record Ends(Runnable leave, Consumer<String> wrong) {}

    /**
     * Decides nothing before {@link #tick}.
     *
     * @param isFounding whether this master may found a cluster
     * @param incarnation of this process; random
     * @param client where clients reach this master
     */
    public Admission(
            MemberList members,
            boolean isFounding,
            Membership seat,
            Environment environment,
            long incarnation,
            Endpoint client) {
        this.members = members;
        this.isFounding = isFounding;
        this.seat = seat;
        this.division = environment.division();
        this.gate = environment.gate();
        this.others = environment.others();
        this.state = environment.state();
        this.low = environment.low();
        this.leave = environment.ends().leave();
        this.incarnation = incarnation;
        this.client = client;
        this.news = new LeaderNews(members, division);
        this.states =
                new StateWatch(
                        members, seat, () -> state.get().hashes(), environment.ends().wrong());
        this.waiting = seat.votes() ? null : "this master looks for the others";
    }

    /** The answer of this master about itself. */
    public Hello hello() {
        long listIndex = members.index(); // before the list, which may be newer then
        return new Hello(
                members.id(),
                incarnation,
                seat.votes(),
                isFounding || seat.votes(),
                seat.clusterId(),
                seat.recovery(),
                seat.recovers(),
                division.getInfo().getCurrentTerm(),
                lastIndex(),
                gate.mayRead(),
                low.getAsBoolean(),
                members.joins(),
                client,
                listIndex,
                members.peers(),
                state.get().hashes());
    }

    private long lastIndex() {
        RaftLog log = division.getRaftLog();
        TermIndex last = log.getLastEntryTermIndex();
        return last == null ? log.getSnapshotIndex() : last.getIndex();
    }

    /** Why this master has no vote yet, or null when it has one. */
    public @Nullable String waiting() {
        return waiting;
    }

    /** How a master takes part, as far as this one knows. */
    public Share shareOf(String id) {
        if (id.equals(members.id())) {
            return states.isDiffering(id)
                    ? Share.DIFFERING
                    : seat.votes() ? Share.FULL : Share.CATCHING_UP;
        }
        Hello hello = others.recent().get(id);
        if (hello == null) {
            return Share.UNKNOWN;
        }
        if (seat.isForeign(hello.stamp())) {
            return Share.FOREIGN;
        }
        if (states.isDiffering(id)) {
            return Share.DIFFERING;
        }
        return hello.votes() ? Share.FULL : Share.CATCHING_UP;
    }

    /** The recent answers of the others of the same cluster, by name. */
    public Map<String, Hello> kin() {
        Map<String, Hello> kin = others.recent();
        kin.values().removeIf(each -> seat.isForeign(each.clusterId()));
        return kin;
    }

    /** How far a master without a vote is, or -1 when that is not known. */
    public long reachedBy(String id) {
        Hello hello = others.recent().get(id);
        return hello == null ? -1 : Math.max(0, hello.last());
    }

    /** Whether somebody is one of the masters, as far as this one or one with a vote knows. */
    public boolean knows(String id) {
        return members.contains(id) || told().containsKey(id);
    }

    /** Where clients reach another master, or null when it was not heard lately. */
    public @Nullable Endpoint clientOf(String id) {
        Hello hello = others.recent().get(id);
        return hello == null ? null : hello.client();
    }

    /** The masters that others with a vote tell of. */
    private Map<String, Peer> told() {
        Map<String, Peer> told = new TreeMap<>();
        for (Hello each : others.recent().values()) {
            if (each.votes() && !seat.isForeign(each.stamp())) {
                each.members().forEach(peer -> told.put(peer.id(), peer));
            }
        }
        return told;
    }

    private void ask() {
        Map<String, Peer> peers = told();
        members.peers().forEach(peer -> peers.put(peer.id(), peer));
        others.ask(peers.values());
        List<Endpoint> known = peers.values().stream().map(Peer::raft).toList();
        others.askAt(members.doors().stream().filter(door -> !known.contains(door)).toList());
    }

    /**
     * Whether the leader has a newer list of masters, without this one. Whoever joins is in no list
     * of its own yet.
     */
    private boolean isDismissed() {
        return members.containsSelf()
                && seat.clusterId() != 0
                && others.recent().values().stream()
                        .anyMatch(
                                each ->
                                        each.leads()
                                                && each.votes()
                                                && each.stamp() == seat.stamp()
                                                && each.listIndex() > members.index()
                                                && !each.ids().contains(members.id()));
    }

    /** Whether this master was one of the masters for the leader since this process began. */
    public boolean wasCounted() {
        return wasCounted;
    }

    private void noteCounted() {
        if (!wasCounted) {
            wasCounted =
                    gate.mayRead()
                            || others.recent().values().stream()
                                    .anyMatch(
                                            each ->
                                                    each.leads()
                                                            && each.ids().contains(members.id()));
        }
    }

    /** Looks around and asks the others; called every tenth of a second. */
    public void tick() {
        if (members.alone() && seat.votes()) {
            wasCounted = true;
            return;
        }
        if (untilAsking-- <= 0) {
            untilAsking = seat.votes() ? ASK_EVERY : 1;
            ask();
            if (seat.votes()) {
                states.look(others.recent(), gate.mayRead());
            }
        }
        if (states.mine() != null) {
            gate.keepFollowing(); // never stands for election
        }
        noteCounted();
        if (isDismissed()) {
            gate.keepFollowing();
            leave.run();
        }
        news.look();
        if (!seat.votes()) {
            gate.keepFollowing();
            followRecovery(others.recent());
            String next = seek(others.recent());
            if (next != null && !next.equals(waiting)) {
                LOG.info("{} has no vote yet: {}", members.id(), next);
            }
            waiting = next;
        }
        forgetEmptied();
        if (seat.recovers()) {
            endRecovery(others.recent());
        }
    }

    /** Whether a master was told to recover the cluster of which this one holds nothing else. */
    public boolean isRecovering(String id) {
        Map<String, Hello> told = others.recent();
        Hello hello = told.get(id);
        return hello != null
                && hello.recovers()
                && hello.votes()
                && told.values().stream().filter(Hello::recovers).count() == 1
                && (seat.clusterId() == 0 || seat.stamp() == hello.stamp());
    }

    /** The group that this master leads was made fit for going on. */
    public void stateRecovered() {
        isStateRecovered = true;
        if (members.alone()) {
            endRecovery();
        }
    }

    /** A master without a vote goes by the last recovery of the cluster that it follows. */
    private void followRecovery(Map<String, Hello> told) {
        for (Hello each : told.values()) {
            boolean isOurs = seat.clusterId() == 0 || seat.clusterId() == each.clusterId();
            if (each.votes()
                    && (each.recovers() || each.leads())
                    && isOurs
                    && each.recovery() != seat.recovery()) {
                try {
                    seat.follow(each.recovery());
                } catch (IOException e) {
                    LOG.warn("a recovery cannot be written down: {}", Wording.of(e));
                }
            }
        }
    }

    /** As long as others may lack something nobody else may lead, so they have no votes. */
    private void endRecovery(Map<String, Hello> told) {
        if (!gate.mayRead() || !isStateRecovered) {
            recoveredIndex = -1;
            return;
        }
        if (recoveredIndex < 0) {
            recoveredIndex = lastIndex();
        }
        long nowTerm = division.getInfo().getCurrentTerm();
        long complete =
                told.values().stream()
                        .filter(each -> each.stamp() == seat.stamp() && each.term() == nowTerm)
                        .filter(each -> each.last() >= recoveredIndex)
                        .count();
        if (complete + 1 > members.peers().size() / 2) {
            endRecovery();
        }
    }

    private void endRecovery() {
        try {
            seat.endRecovery();
            LOG.warn(
                    "{}: the cluster is recovered: a majority of its masters holds what this one"
                            + " held",
                    members.id());
        } catch (IOException e) {
            LOG.warn("the end of the recovery cannot be written down: {}", Wording.of(e));
        }
    }

    /** Takes the vote when it is time, else tells what is missing. */
    private @Nullable String seek(Map<String, Hello> told) {
        boolean isEmpty = seat.clusterId() == 0 && lastIndex() < 0;
        List<Hello> holders = told.values().stream().filter(each -> !each.isEmpty()).toList();
        if (isEmpty && holders.isEmpty()) {
            return members.joins() ? lookForDoors() : found(told);
        }
        for (Hello each : holders) {
            if (each.leads() && each.votes() && !seat.isForeign(each.stamp())) {
                return each.ids().contains(members.id()) ? catchUp(each, told) : join(each);
            }
        }
        String names = String.join(", ", holders.stream().map(Hello::id).sorted().toList());
        if (holders.isEmpty()) {
            return "it waits for the other masters of its cluster";
        }
        if (holders.stream().allMatch(each -> seat.isForeign(each.stamp()))) {
            return "its directory belongs to cluster %s, and %s to another"
                    .formatted(Membership.text(seat.clusterId()), names);
        }
        return ("it catches up with the cluster that %s knows, as soon as a master leads there;"
                        + " for that a majority must hold it")
                .formatted(names);
    }

    private String lookForDoors() {
        return "it looks for the masters at %s, none answers; --join takes addresses of --raft, as"
                        .formatted(members.doors())
                + " 'cairn admin masters' shows them";
    }

    private String join(Hello leading) {
        return ("it waits to become one of the masters of cluster %s, which are %s: cairn admin"
                        + " masters add %s")
                .formatted(
                        Membership.text(leading.clusterId()),
                        String.join(", ", leading.ids()),
                        members.self());
    }

    private @Nullable String found(Map<String, Hello> told) {
        if (told.isEmpty()) {
            return "it looks for the other masters, none answers";
        }
        if (!isFounding) {
            return "its directory is empty, and no other master knows a cluster; a new cluster is"
                    + " founded by starting all its masters with --found, and a master of one that"
                    + " exists is started with --join";
        }
        List<String> missing = new ArrayList<>();
        for (String id : members.ids()) {
            Hello each = told.get(id);
            if (id.equals(members.id())) {
                continue;
            }
            if (each == null) {
                missing.add(id + " does not answer");
            } else if (!each.founds()) {
                missing.add(id + " was started without --found");
            } else if (!Set.copyOf(each.ids()).equals(members.ids())) {
                missing.add("for " + id + " the masters are " + each.ids());
            }
        }
        if (!missing.isEmpty()) {
            return "a cluster is founded by all its masters together, but "
                    + String.join(", ", missing);
        }
        return take("it founds a cluster together with all others");
    }

    private @Nullable String catchUp(Hello leading, Map<String, Hello> told) {
        Target aim = target;
        if (aim == null || aim.term() != leading.term()) {
            aim = new Target(leading.term(), leading.last());
            target = aim;
        }
        boolean isSameTerm =
                division.getInfo().getCurrentTerm() == aim.term()
                        && told.values().stream().allMatch(each -> each.term() <= leading.term());
        boolean isSameCluster = seat.stamp() == leading.stamp();
        if (leading.recovers()) {
            return "it catches up with " + leading.id() + ", which recovers the cluster";
        }
        if (isSameTerm && isSameCluster && state.get().appliedIndex() >= aim.index()) {
            return take("it has caught up with " + leading.id());
        }
        return "it catches up with " + leading.id();
    }

    private @Nullable String take(String why) {
        try {
            seat.take();
            LOG.info("{} has a vote from now on: {}", members.id(), why);
            return null;
        } catch (IOException e) {
            return "its vote cannot be written down: " + Wording.of(e);
        }
    }

    /**
     * A leader remembers how far each follower was, and never sends less. One that lost its log
     * would wait for ever, and an idle leader would send it nothing at all.
     */
    private void forgetEmptied() {
        others.recent()
                .forEach(
                        (id, each) -> {
                            Long before = forgotten.get(id);
                            if (!each.votes()
                                    && each.term() == division.getInfo().getCurrentTerm()
                                    && !seat.isForeign(each.stamp())
                                    && (before == null || before != each.incarnation())
                                    && gate.forget(RaftPeerId.valueOf(id), each.last())) {
                                forgotten.put(id, each.incarnation());
                                LOG.warn("master {} has lost its log: it gets everything anew", id);
                            }
                        });
    }
}
