package io.cairn.metadata.content;

import io.cairn.cluster.Layout;
import io.cairn.metadata.inode.InodeDraft;

/**
 * Where contents that are in the inode go when they move into chunks, after their policy has
 * changed. Belongs to the apply thread.
 */
public final class InlineLayout {
    private final LayoutChoice layouts;
    private final ObjectLedger ledger;
    private final DoubtfulObjects doubtful;

    /** That of the files of a namespace. */
    public InlineLayout(LayoutChoice layouts, ObjectLedger ledger, DoubtfulObjects doubtful) {
        this.layouts = layouts;
        this.ledger = ledger;
        this.doubtful = doubtful;
    }

    /**
     * Gives a file the layout that its policy asks for. It is one with a new object: a client that
     * moves the contents may have stored chunks of the present one, which would stay where they
     * are, perhaps not encrypted. They become garbage.
     *
     * @param file with contents in the inode
     * @return whether the layout is another one now
     */
    public boolean follow(InodeDraft file) {
        Layout present = file.layout;
        if (present == null || file.inline == null) {
            throw new IllegalArgumentException("inode " + file.ino + " has no inline contents");
        }
        Layout chosen = layouts.chooseAgain(file.ino, file.policy, present);
        if (chosen.equals(present)) {
            return false;
        }
        ledger.release(file.ino, present);
        doubtful.remove(file.ino);
        file.layout = chosen;
        return true;
    }
}
