package io.cairn.master.raft;

import io.cairn.base.Wording;
import io.cairn.master.MasterGroup.Share;
import io.cairn.master.store.Membership;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
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
 * <p>When the directories of a majority are lost for good, an operator tells a master that has its
 * own to recover the cluster ({@link Recovery}). Masters without a vote let that one lead. It leads
 * alone until enough of them have everything; then they get their votes as ever. Directories of
 * other masters from before are refused.
 *
 * <p>One thread calls {@link #tick}; the rest is thread-safe.
 */
final class Admission {
    private static final Logger LOG = LoggerFactory.getLogger(Admission.class);

    /** Twice a second; more often without a vote. */
    private static final int ASK_EVERY = 5;

    /** Five seconds without a leader are no election any more. */
    private static final int WARN_AFTER = 50;

    private final RatisSettings settings;
    private final Membership seat;
    private final RaftServer.Division division;
    private final LeaderGate gate;
    private final RollCall others;
    private final Supplier<Long> applied;
    private final BooleanSupplier low;
    private final long incarnation;
    private final List<String> members;

    /** Incarnations whose old place in the log this leader has forgotten. */
    private final Map<String, Long> forgotten = new HashMap<>();

    private @Nullable Target target;
    private volatile @Nullable String waiting;
    private @Nullable RaftPeerId leader;
    private long term;
    private int untilAsking;
    private int withoutLeader;

    /** The index that others must hold before a recovery is over, -1 while it has not begun. */
    private long recoveredIndex = -1;

    private volatile boolean isStateRecovered;

    /** The index that must be applied, of which leader. */
    private record Target(long term, long index) {}

    /** The facts that it looks at. */
    record Surroundings(
            RaftServer.Division division,
            LeaderGate gate,
            RollCall others,
            Supplier<Long> applied,
            BooleanSupplier low) {}

    Admission(RatisSettings settings, Membership seat, Surroundings around, long incarnation) {
        this.settings = settings;
        this.seat = seat;
        this.division = around.division();
        this.gate = around.gate();
        this.others = around.others();
        this.applied = around.applied();
        this.low = around.low();
        this.incarnation = incarnation;
        this.members = List.copyOf(new TreeSet<>(settings.ids()));
        this.waiting = seat.votes() ? null : "this master looks for the others";
    }

    /** The answer of this master about itself. */
    Hello hello() {
        return new Hello(
                settings.id(),
                incarnation,
                seat.votes(),
                settings.found() || seat.votes(),
                seat.clusterId(),
                seat.recovery(),
                seat.recovers(),
                division.getInfo().getCurrentTerm(),
                lastIndex(),
                gate.mayRead(),
                low.getAsBoolean(),
                members);
    }

    private long lastIndex() {
        RaftLog log = division.getRaftLog();
        TermIndex last = log.getLastEntryTermIndex();
        return last == null ? log.getSnapshotIndex() : last.getIndex();
    }

    /** Why this master has no vote yet, or null when it has one. */
    @Nullable String waiting() {
        return waiting;
    }

    /** How a master takes part, as far as this one knows. */
    Share shareOf(String id) {
        if (id.equals(settings.id())) {
            return seat.votes() ? Share.FULL : Share.CATCHING_UP;
        }
        Hello hello = others.recent().get(id);
        if (hello == null) {
            return Share.UNKNOWN;
        }
        if (seat.isForeign(hello.stamp())) {
            return Share.FOREIGN;
        }
        return hello.votes() ? Share.FULL : Share.CATCHING_UP;
    }

    /** The recent answers of the others of the same cluster, by name. */
    Map<String, Hello> kin() {
        Map<String, Hello> kin = others.recent();
        kin.values().removeIf(each -> seat.isForeign(each.clusterId()));
        return kin;
    }

    /** How far a master without a vote is, or -1 when that is not known. */
    long reachedBy(String id) {
        Hello hello = others.recent().get(id);
        return hello == null ? -1 : Math.max(0, hello.last());
    }

    /** Looks around and asks the others; called every tenth of a second. */
    void tick() {
        if (untilAsking-- <= 0) {
            untilAsking = seat.votes() ? ASK_EVERY : 1;
            others.ask();
        }
        tellLeader();
        if (!seat.votes()) {
            gate.keepFollowing();
            followRecovery(others.recent());
            String next = seek(others.recent());
            if (next != null && !next.equals(waiting)) {
                LOG.info("{} has no vote yet: {}", settings.id(), next);
            }
            waiting = next;
        }
        forgetEmptied();
        if (seat.recovers()) {
            endRecovery(others.recent());
        }
    }

    /** Whether a master was told to recover the cluster of which this one holds nothing else. */
    boolean isRecovering(String id) {
        Map<String, Hello> told = others.recent();
        Hello hello = told.get(id);
        return hello != null
                && hello.recovers()
                && hello.votes()
                && told.values().stream().filter(Hello::recovers).count() == 1
                && (seat.clusterId() == 0 || seat.stamp() == hello.stamp());
    }

    /** The group that this master leads was made fit for going on. */
    void stateRecovered() {
        isStateRecovered = true;
        if (settings.alone()) {
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
        if (complete + 1 > members.size() / 2) {
            endRecovery();
        }
    }

    private void endRecovery() {
        try {
            seat.endRecovery();
            LOG.warn(
                    "{}: the cluster is recovered: a majority of its masters holds what this one"
                            + " held",
                    settings.id());
        } catch (IOException e) {
            LOG.warn("the end of the recovery cannot be written down: {}", Wording.of(e));
        }
    }

    /** An election is news; that it comes to nothing is what somebody should look at. */
    private void tellLeader() {
        RaftPeerId now = division.getInfo().getLeaderId();
        long nowTerm = division.getInfo().getCurrentTerm();
        withoutLeader = now == null && leader == null && term > 0 ? withoutLeader + 1 : 0;
        if (withoutLeader == WARN_AFTER) {
            LOG.warn(
                    "{}: no master leads since term {}, for {} s now; a majority of {} must run and"
                            + " reach each other",
                    settings.id(),
                    term,
                    WARN_AFTER / 10,
                    String.join(", ", members));
        }
        if (Objects.equals(now, leader) && (now == null || nowTerm == term)) {
            return;
        }
        if (now == null) {
            LOG.info(
                    "{}: no master leads after {} in term {}; the masters elect one",
                    settings.id(),
                    leader,
                    term);
        } else {
            LOG.info("{}: {} leads in term {}", settings.id(), now, nowTerm);
        }
        leader = now;
        term = nowTerm;
    }

    /** Takes the vote when it is time, else tells what is missing. */
    private @Nullable String seek(Map<String, Hello> told) {
        boolean isEmpty = seat.clusterId() == 0 && lastIndex() < 0;
        List<Hello> holders = told.values().stream().filter(each -> !each.isEmpty()).toList();
        if (isEmpty && holders.isEmpty()) {
            return found(told);
        }
        for (Hello each : holders) {
            if (each.leads() && each.votes() && !seat.isForeign(each.stamp())) {
                return catchUp(each, told);
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

    private @Nullable String found(Map<String, Hello> told) {
        if (told.isEmpty()) {
            return "it looks for the other masters, none answers";
        }
        if (!settings.found()) {
            return "its directory is empty, and no other master knows a cluster; a new cluster is"
                    + " founded by starting all its masters with --found";
        }
        List<String> missing = new ArrayList<>();
        for (String id : members) {
            Hello each = told.get(id);
            if (id.equals(settings.id())) {
                continue;
            }
            if (each == null) {
                missing.add(id + " does not answer");
            } else if (!each.founds()) {
                missing.add(id + " was started without --found");
            } else if (!each.members().equals(members)) {
                missing.add("for " + id + " the masters are " + each.members());
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
        if (isSameTerm && isSameCluster && applied.get() >= aim.index()) {
            return take("it has caught up with " + leading.id());
        }
        return "it catches up with " + leading.id();
    }

    private @Nullable String take(String why) {
        try {
            seat.take();
            LOG.info("{} has a vote from now on: {}", settings.id(), why);
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
