package io.cairn.admin.classes;

import io.cairn.admin.api.Plan;
import io.cairn.admin.api.Problem;
import io.cairn.base.Spelling;
import io.cairn.base.Wording;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Labels;
import io.cairn.cluster.Policy;
import io.cairn.cluster.Spread;
import io.cairn.cluster.Target;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The labels that a class asks for, and the chunk servers that have them. */
final class ClassLabels {
    private ClassLabels() {}

    /** Those of a field; nothing is said with null. */
    static Labels.Expression read(String field, @Nullable String text) {
        if (text == null) {
            return Labels.Expression.UNSAID;
        }
        try {
            return Labels.Expression.parse(text);
        } catch (IllegalArgumentException e) {
            throw Problem.invalid(field, "Not possible: " + e.getMessage() + ".");
        }
    }

    /** Refuses labels for more copies than files have. */
    static void requireCopies(String field, Policy policy, int standardReplicas) {
        int copies = copies(policy, standardReplicas);
        int lists = policy.labels().isPerCopy() ? policy.labels().lists().size() : 1;
        if (lists > copies) {
            throw Problem.invalid(
                    field,
                    ("Labels for %d copies, and files have %s: give as many replicas, or fewer"
                                    + " labels.")
                            .formatted(lists, Wording.count(copies, "copy")));
        }
    }

    /** Refuses labels that no chunk server has, for whichever copy. */
    static void require(String field, Labels.Expression wanted, ClusterMap map) {
        wanted.each().forEach(each -> requireOne(field, each, map));
    }

    private static int copies(Policy policy, int standardReplicas) {
        return policy.replicas() > 0 ? policy.replicas() : standardReplicas;
    }

    /** The same for one list. */
    private static void requireOne(String field, Labels.Expression wanted, ClusterMap map) {
        if (wanted.isAny()
                || map.servers().stream().anyMatch(each -> wanted.admits(each.labels()))) {
            return;
        }
        Set<String> known = new TreeSet<>();
        map.servers()
                .forEach(
                        server ->
                                server.labels()
                                        .values()
                                        .forEach((key, value) -> known.add(key + "=" + value)));
        String all =
                known.isEmpty()
                        ? "No chunk server has any label: 'cairn admin servers label' gives one."
                        : "There are: " + String.join(", ", known) + ".";
        throw Problem.invalid(
                field,
                "No chunk server has the labels '%s'. %s%s"
                        .formatted(wanted.text(), all, hint(wanted, map, known)));
    }

    /** What was meant by the first term that no server has. */
    private static String hint(Labels.Expression wanted, ClusterMap map, Set<String> known) {
        for (Labels.Term term : wanted.lists().getFirst()) {
            if (term.isNot()
                    || map.servers().stream().anyMatch(each -> term.holds(each.labels()))) {
                continue;
            }
            for (String label : known) {
                if (label.endsWith("=" + term.text())) {
                    return " Did you mean '" + label + "'?";
                }
            }
            return Spelling.hint(known, term.text());
        }
        return "";
    }

    /** Tells in a plan that pools have to come, or that there are too few servers. */
    static void warn(Plan plan, ClusterMap map, Policy policy, int standardReplicas) {
        Labels.Expression labels = policy.labels();
        if (labels.isAny()) {
            return;
        }
        int copies = copies(policy, standardReplicas);
        List<Target> open =
                map.targets().stream().filter(t -> t.serverId() != 0 && !t.isDraining()).toList();
        int servers = Spread.places(map, labels.ofCopies(copies), open);
        if (servers < copies) {
            plan.warn(
                    "Only %s can have copies with the labels '%s': files get fewer copies than %d."
                            .formatted(
                                    Wording.count(servers, "chunk server"), labels.text(), copies));
        }
        if (map.youngestPool(1, policy.kind()) == null) {
            plan.warn(
                    "There is no pool with the labels '%s' yet: it is made in some seconds."
                            .formatted(labels.text()));
        }
    }
}
