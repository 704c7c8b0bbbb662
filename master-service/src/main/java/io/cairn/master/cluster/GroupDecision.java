package io.cairn.master.cluster;

import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.PlacementGroup.Member;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Decides the next members of one group. A pure function; use each object once.
 *
 * <p>Every SERVING member holds every acknowledged byte until its machine is started anew: then
 * what it had not flushed may be gone. So one that kept its memory goes before one that did not:
 *
 * <pre>
 *   of those SERVING           some kept their memory        none that is here did
 *   here, not restarted        SERVING                       -
 *   here, process restarted    SERVING, in a new epoch       -
 *   here, machine restarted    SYNCING                       WAITING
 *   away                       OFFLINE                       LAST_SERVING
 * </pre>
 *
 * An ADOPTED one that went away is no member any more, and keeps what it has.
 *
 * <p>While a process was down nothing was acknowledged without it, so that it has missed nothing:
 * the head of the new epoch makes the members agree on what was under way.
 *
 * <p>A LAST_SERVING one that comes back serves, or is WAITING when its machine was restarted. Those
 * WAITING serve, together, when no LAST_SERVING one is left to wait for or patience is over; only
 * then the group is broken: something acknowledged may be gone.
 */
final class GroupDecision {
    /**
     * How a member is seen now.
     *
     * @param present whether its server is alive and its disk healthy
     * @param restarted whether its process was started since the last map
     * @param rebooted whether its machine was, as far as is known
     */
    record Standing(boolean present, boolean restarted, boolean rebooted) {
        boolean kept() {
            return present && !rebooted;
        }

        boolean stayed() {
            return present && !restarted;
        }
    }

    private final PlacementGroup group;
    private final Function<Member, Standing> standings;
    private final boolean patient;
    private final List<Member> members;
    private boolean renewed;

    /**
     * A decision.
     *
     * @param patient whether to wait for members that may have kept their memory
     */
    GroupDecision(PlacementGroup group, Function<Member, Standing> standings, boolean patient) {
        this.group = group;
        this.standings = standings;
        this.patient = patient;
        this.members = new ArrayList<>(group.members());
    }

    /** The group with the next epoch, or as it is when nothing has to change. */
    PlacementGroup decide(long nextEpoch) {
        withdraw();
        boolean broken = restore();
        members.removeIf(m -> m.state() == MemberState.ADOPTED && !standings.apply(m).stayed());
        if (members.equals(group.members()) && !renewed && !broken) {
            return group;
        }
        return group.next(nextEpoch, broken, members);
    }

    private void withdraw() {
        boolean kept =
                members.stream()
                        .anyMatch(
                                m -> m.state() == MemberState.SERVING && standings.apply(m).kept());
        for (int i = 0; i < members.size(); i++) {
            Member member = members.get(i);
            Standing standing = standings.apply(member);
            MemberState next =
                    switch (member.state()) {
                        case OFFLINE, WAITING, ADOPTED -> member.state();
                        case LAST_SERVING ->
                                standing.rebooted() ? MemberState.WAITING : member.state();
                        case SYNCING -> standing.stayed() ? member.state() : MemberState.OFFLINE;
                        case SERVING -> kept ? besideKeepers(standing) : amongLosers(standing);
                    };
            renewed |= next == MemberState.SERVING && standing.restarted();
            set(i, next);
        }
    }

    private static MemberState besideKeepers(Standing standing) {
        return standing.kept() ? MemberState.SERVING : MemberState.OFFLINE;
    }

    private static MemberState amongLosers(Standing standing) {
        return standing.rebooted() ? MemberState.WAITING : MemberState.LAST_SERVING;
    }

    /** Whether those serve from now on that lost their memory. */
    private boolean restore() {
        boolean broken = false;
        if (!any(MemberState.SERVING)) {
            serve(MemberState.LAST_SERVING, 1);
        }
        if (!any(MemberState.SERVING) && !(patient && any(MemberState.LAST_SERVING))) {
            broken = serve(MemberState.WAITING, members.size());
        }
        if (any(MemberState.SERVING)) {
            for (int i = 0; i < members.size(); i++) {
                MemberState state = members.get(i).state();
                if (state != MemberState.SERVING && !state.isSyncing()) {
                    boolean present = standings.apply(members.get(i)).present();
                    set(i, present ? MemberState.SYNCING : MemberState.OFFLINE);
                }
            }
        }
        return broken;
    }

    /** Makes members of a state that are present serve, so many at most; whether there are any. */
    private boolean serve(MemberState state, int most) {
        int count = 0;
        for (int i = 0; i < members.size() && count < most; i++) {
            Member member = members.get(i);
            if (member.state() == state && standings.apply(member).present()) {
                set(i, MemberState.SERVING);
                count++;
            }
        }
        return count > 0;
    }

    private void set(int i, MemberState state) {
        members.set(i, new Member(members.get(i).targetId(), state));
    }

    private boolean any(MemberState state) {
        return members.stream().anyMatch(m -> m.state() == state);
    }

    /** Whether a group has only members that wait for others to come back. */
    static boolean isWaiting(PlacementGroup group) {
        return group.head() == null
                && group.members().stream().anyMatch(m -> m.state() == MemberState.WAITING);
    }
}
