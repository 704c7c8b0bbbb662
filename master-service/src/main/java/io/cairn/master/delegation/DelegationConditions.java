package io.cairn.master.delegation;

import io.cairn.cluster.Inode;
import io.cairn.cluster.PastInode;
import io.cairn.cluster.Policy;
import io.cairn.fs.TrashPlace;
import io.cairn.master.access.MountRules;
import io.cairn.metadata.Namespace;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Whether a mount can tell of a new file exactly what the state will: no rule is asked, no list is
 * inherited, no flag, no limit of a class, and no quota may refuse it. Of the state as it is now.
 * Thread-safe; never blocks but for moments.
 */
final class DelegationConditions {
    private final Supplier<Namespace> namespace;
    private final BooleanSupplier hasRules;

    /** Those of a state. */
    DelegationConditions(Supplier<Namespace> namespace) {
        this.namespace = namespace;
        this.hasRules = MountRules.presence(namespace);
    }

    /** Whether it can in some directories. */
    boolean hold() {
        Namespace state = namespace.get();
        return !hasRules.getAsBoolean()
                && !state.accounts().limitsOwners()
                && state.classes().all().stream().allMatch(each -> isStandard(each.policy()));
    }

    /** Whether the state knows an inode, and it cannot there. */
    boolean areBrokenBy(long directory) {
        return namespace.get().inode(directory) != null && !holdIn(directory);
    }

    /** Whether it can in this directory. It knows nothing of snapshots, which keep a directory. */
    boolean holdIn(long directory) {
        if (PastInode.isPast(directory) || TrashPlace.isDirectory(directory)) {
            return false;
        }
        Namespace state = namespace.get();
        Inode inode = state.inode(directory);
        return inode != null
                && inode.attributes().isDirectory()
                && inode.attributes().nlink() > 0
                && inode.attributes().acls().inherited() == null
                && inode.attributes().flags() == 0
                && isStandard(inode.policy())
                && hold()
                && !state.accounts().isLimited(directory)
                && state.snapshots().stream().noneMatch(each -> each.root() == directory);
    }

    /** Whether a policy leaves it to the cluster how much of a file may be in its inode. */
    private static boolean isStandard(Policy policy) {
        return policy.inlineBytes() == Policy.UNSAID_INLINE && policy.key() == 0;
    }
}
