package io.cairn.master.raft.member;

import io.cairn.base.Wording;
import io.cairn.cluster.Endpoint;
import io.cairn.master.MasterGroup.Change;
import io.cairn.master.MasterGroup.Newcomer;
import io.cairn.master.MasterGroup.Standing;
import io.cairn.master.store.Membership;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which changes of the masters are refused. None may leave a group that has no living majority, and
 * nobody comes who holds anything else than this cluster. Pure.
 */
public final class MemberRules {
    private static final int MAX_NAME_CHARS = 64;
    private static final Set<String> LOOPBACK = Set.of("localhost", "::1");

    private final List<Standing> now;
    private final long clusterId;

    /**
     * The rules as things stand.
     *
     * @param now the masters as the leader sees them, itself included
     * @param clusterId of the leader
     */
    public MemberRules(List<Standing> now, long clusterId) {
        this.now = List.copyOf(now);
        this.clusterId = clusterId;
    }

    /**
     * Why a change is refused, with the remedy, or null.
     *
     * @param answer what the newcomer told of itself just now; null when it does not answer, or
     *     there is none
     */
    public @Nullable String refusal(Change change, @Nullable Hello answer) {
        String leaves = change.leaves();
        Newcomer joins = change.joins();
        if (leaves != null && now.stream().noneMatch(each -> each.id().equals(leaves))) {
            return "There is no master '%s'; the masters are %s.".formatted(leaves, names());
        }
        String refusal = joins == null ? null : newcomer(joins, answer);
        return refusal != null || leaves == null ? refusal : leaving(leaves, joins != null);
    }

    private @Nullable String newcomer(Newcomer joins, @Nullable Hello answer) {
        String id = joins.id();
        Endpoint raft = joins.raft();
        if (id.isBlank() || id.length() > MAX_NAME_CHARS || !id.matches("[A-Za-z0-9_.-]+")) {
            return "'%s' is no name of a master: use letters, digits, '-', '_' and '.'."
                    .formatted(id);
        }
        for (Standing each : now) {
            if (each.id().equals(id)) {
                return each.raft().equals(raft)
                        ? "%s is one of the masters already.".formatted(id)
                        : ("%s is one of the masters already, at %s. A master keeps its address:"
                                        + " give the new one a name of its own.")
                                .formatted(id, each.raft());
            }
            if (each.raft().equals(raft)) {
                return "Master %s is at %s already.".formatted(each.id(), raft);
            }
            if (isLoopback(each.raft()) && !isLoopback(raft)) {
                return ("Master %s is reached at %s only, so %s could not reach it: start it with"
                                + " --raft and an address that others reach.")
                        .formatted(each.id(), each.raft(), id);
            }
        }
        return answer == null ? silent(joins) : stranger(joins, answer);
    }

    private static String silent(Newcomer joins) {
        return ("No master answers at %s. Start it there: cairn master --id %s --data DIR --listen"
                        + " HOST:PORT --raft %s=%s --join, with the --raft address of a living"
                        + " master.")
                .formatted(joins.raft(), joins.id(), joins.id(), joins.raft());
    }

    private @Nullable String stranger(Newcomer joins, Hello answer) {
        if (!answer.id().equals(joins.id())) {
            return "The master at %s is called %s, not %s."
                    .formatted(joins.raft(), answer.id(), joins.id());
        }
        if (answer.clusterId() != 0 && answer.clusterId() != clusterId) {
            return ("Master %s belongs to cluster %s, not to %s: give it an empty directory, and"
                            + " start it with --join.")
                    .formatted(
                            joins.id(),
                            Membership.text(answer.clusterId()),
                            Membership.text(clusterId));
        }
        return answer.joins()
                ? null
                : "Master %s was not told to join: start it on an empty directory with --join."
                        .formatted(joins.id());
    }

    private @Nullable String leaving(String leaves, boolean isReplaced) {
        List<Standing> rest = now.stream().filter(each -> !each.id().equals(leaves)).toList();
        if (rest.isEmpty() && !isReplaced) {
            return leaves + " is the last master: without it there is no cluster.";
        }
        int size = rest.size() + (isReplaced ? 1 : 0);
        List<String> gone = rest.stream().filter(each -> !isUp(each)).map(this::text).toList();
        int present = size - gone.size();
        if (2 * present <= size) {
            return ("Without %s only %d of %d masters would have a vote and answer, which is no"
                            + " majority. Bring back or replace %s first.")
                    .formatted(leaves, present, size, String.join(", ", gone));
        }
        return null;
    }

    private static boolean isUp(Standing each) {
        return each.leads() || each.state().equals("up");
    }

    private String text(Standing each) {
        return each.id() + " (" + each.state() + ")";
    }

    /** What to know before a change that is not refused. */
    public List<String> warnings(Change change) {
        List<String> warnings = new ArrayList<>();
        int size =
                now.size() + (change.joins() == null ? 0 : 1) - (change.leaves() == null ? 0 : 1);
        int survives = (size - 1) / 2;
        if (survives == 0) {
            warnings.add(
                    size == 1
                            ? "One master is left: the cluster stands still when it fails."
                            : "Two masters do not survive the loss of one: add a third one.");
        } else if (size % 2 == 0) {
            warnings.add(
                    "%d masters survive the loss of %d, as %d would: add or remove one more."
                            .formatted(size, survives, size - 1));
        }
        String leaves = change.leaves();
        if (leaves != null
                && now.stream().anyMatch(each -> each.id().equals(leaves) && each.leads())) {
            warnings.add(
                    "Master %s leads: requests wait for about a second until another one does."
                            .formatted(leaves));
        }
        long silent = now.stream().filter(Standing::isAbsent).count();
        if (change.joins() != null && silent > 0) {
            warnings.add(
                    Wording.count(silent, "master")
                            + " of the group takes no part now: none more may fail meanwhile.");
        }
        return warnings;
    }

    private String names() {
        return String.join(", ", now.stream().map(Standing::id).toList());
    }

    /** By its text: what a name stands for is another matter on each machine. */
    private static boolean isLoopback(Endpoint raft) {
        return LOOPBACK.contains(raft.host()) || raft.host().startsWith("127.");
    }
}
