package io.cairn.metadata;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.fs.quota.Account;
import io.cairn.fs.quota.Sums;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** The sums as the manual defines them, computed from the whole model each time. */
final class UsageModel {
    private final Map<String, Sums> sums = new TreeMap<>();

    private UsageModel() {}

    /** Fails unless all sums of a namespace are those of the model. */
    static void compare(NamespaceModel tree, Namespace namespace) {
        UsageModel model = new UsageModel();
        for (NodeModel node : tree.nodes.values()) {
            if (node.nlink > 0) {
                model.add(node);
            }
        }
        for (NodeModel node : tree.nodes.values()) {
            model.compare(namespace, Account.directory(node.ino));
            model.compare(namespace, Account.user(node.uid));
            model.compare(namespace, Account.group(node.gid));
        }
    }

    private void compare(Namespace namespace, Account account) {
        Sums expected = sums.getOrDefault(account.toString(), Sums.ZERO);
        assertEquals(expected, namespace.accounts().sums(account), account::toString);
    }

    private void add(NodeModel node) {
        Sums own = node.isDirectory() ? new Sums(1, 0, 0) : new Sums(1, node.size, node.used);
        add(Account.user(node.uid), own);
        add(Account.group(node.gid), own);
        NodeModel at = node;
        while (at.ino != 1) {
            at = Objects.requireNonNull(at.parent);
            add(Account.directory(at.ino), own);
        }
    }

    private void add(Account account, Sums more) {
        sums.merge(account.toString(), more, Sums::plus);
    }
}
