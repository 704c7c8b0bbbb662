package io.cairn.metadata;

import io.cairn.cluster.Inode;
import io.cairn.metadata.content.ContentCheck;
import io.cairn.metadata.inode.XattrCheck;
import io.cairn.metadata.job.JobCheck;
import io.cairn.metadata.lock.LockCheck;
import io.cairn.metadata.session.SessionCheck;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Transaction;
import io.cairn.metadata.state.View;
import io.cairn.metadata.tree.TreeCheck;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Checks invariants over the whole state, noun by noun. Used once, while no entry is applied. Needs
 * memory for every inode.
 */
final class StateCheck {
    /** Violations told; what comes beyond is only counted. */
    static final int MAX_LINES = 1000;

    private final View view;
    private final long inodeCount;
    private final List<String> violations = new ArrayList<>();
    private int omitted;

    StateCheck(View view, long inodeCount) {
        this.view = view;
        this.inodeCount = inodeCount;
    }

    /** One line per violation. */
    List<String> violations() {
        TreeCheck tree = new TreeCheck(view, this::violated);
        ContentCheck contents = new ContentCheck(view, this::violated);
        view.each(
                Family.INODE,
                (key, value) -> {
                    Inode inode = Transaction.decodeInode(value);
                    if (inode.ino() != Keys.numberAt(key, 0)) {
                        violated("I11 inode " + Keys.numberAt(key, 0) + " is stored as another");
                    }
                    tree.add(inode);
                    contents.check(inode);
                });
        tree.check(inodeCount);
        contents.check();
        Set<Long> sessions = new SessionCheck(view, this::violated).check();
        new LockCheck(view, tree.inos(), sessions, this::violated).check();
        new XattrCheck(view, tree.inos(), this::violated).check();
        new JobCheck(view, this::violated).check();
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
