package io.cairn.metadata;

import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Inode;
import io.cairn.metadata.classes.ClassCheck;
import io.cairn.metadata.cluster.Cluster;
import io.cairn.metadata.content.ContentCheck;
import io.cairn.metadata.inode.XattrCheck;
import io.cairn.metadata.job.JobCheck;
import io.cairn.metadata.lock.LockCheck;
import io.cairn.metadata.session.SessionCheck;
import io.cairn.metadata.snapshot.SnapshotCheck;
import io.cairn.metadata.state.Counters;
import io.cairn.metadata.state.InodeCache;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.StoredState;
import io.cairn.metadata.state.Transaction;
import io.cairn.metadata.state.View;
import io.cairn.metadata.trash.TrashCheck;
import io.cairn.metadata.tree.TreeCheck;
import io.cairn.metadata.usage.UsageCheck;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Checks the invariants I3 and I11 over a whole state that does not change meanwhile, noun by noun.
 * The tree is acyclic and rooted, link and entry counts are true, orphans are listed, sums are
 * exact, locks and replies belong to sessions. Goes through the records in their order and looks
 * others up, so that its memory does not grow with the number of inodes. Used once.
 */
public final class StateCheck {
    /** Violations told; what comes beyond is only counted. */
    static final int MAX_LINES = 1000;

    private final View view;
    private final ClusterMap map;
    private final Runnable step;
    private final List<String> violations = new ArrayList<>();
    private int omitted;

    /** A check of a state. */
    public StateCheck(StoredState state) {
        this(state, () -> {});
    }

    /**
     * The same.
     *
     * @param step runs before each inode: to count, to slow down, or to end the check with what it
     *     throws
     */
    public StateCheck(StoredState state, Runnable step) {
        this.view = new View(state, new InodeCache());
        map = Cluster.mapOf(state);
        this.step = step;
    }

    /** One line per violation, each with the name of its invariant; empty when all is well. */
    public List<String> violations() {
        UsageCheck usage = new UsageCheck(view, map, this::violated);
        TreeCheck tree = new TreeCheck(view, usage, this::violated);
        TrashCheck trash = new TrashCheck(view, this::violated);
        ContentCheck contents = new ContentCheck(view, this::violated);
        view.each(
                Family.INODE,
                (key, value) -> {
                    step.run();
                    Inode inode = Transaction.decodeInode(value);
                    if (inode.ino() != Keys.numberAt(key, 0)) {
                        violated("I11 inode " + Keys.numberAt(key, 0) + " is stored as another");
                    }
                    tree.check(inode);
                    contents.check(inode);
                    usage.count(inode);
                    trash.check(inode);
                });
        tree.check(Counters.load(view).inodeCount());
        contents.check();
        usage.finish();
        trash.check();
        Set<Long> sessions = new SessionCheck(view, this::violated).check();
        new LockCheck(view, sessions, this::violated).check();
        new XattrCheck(view, this::violated).check();
        new JobCheck(view, this::violated).check();
        new ClassCheck(view, this::violated).check();
        new SnapshotCheck(view, this::violated).check();
        if (omitted > 0) {
            violations.add("and " + omitted + " more");
        }
        return violations;
    }

    private void violated(String line) {
        if (violations.size() < MAX_LINES) {
            violations.add(line);
        } else {
            omitted++;
        }
    }
}
