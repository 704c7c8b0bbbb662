package io.cairn.metadata.tree;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Policy;
import io.cairn.fs.FileType;
import io.cairn.fs.ModeChange;
import io.cairn.metadata.content.InlineLayout;
import io.cairn.metadata.content.LayoutChoice;
import io.cairn.metadata.inode.InodeDraft;
import io.cairn.metadata.inode.InodeProtection;
import io.cairn.metadata.inode.InodeTable;
import io.cairn.metadata.state.Transaction;
import io.cairn.wire.master.InodeEdit;
import io.cairn.wire.master.JobMutation;
import io.cairn.wire.master.Reply.EntryReply;
import org.jspecify.annotations.Nullable;

/**
 * The changes that an administrator makes to an inode. Belongs to the apply thread.
 *
 * <p>A policy tells what <em>new</em> contents ask for. Contents that lie in chunks stay where they
 * are, until somebody writes them anew or moves them.
 */
public final class EditOperation {
    private final Transaction transaction;
    private final InodeTable inodes;
    private final LayoutChoice layouts;
    private final InlineLayout inline;

    public EditOperation(
            Transaction transaction, InodeTable inodes, LayoutChoice layouts, InlineLayout inline) {
        this.transaction = transaction;
        this.inodes = inodes;
        this.layouts = layouts;
        this.inline = inline;
    }

    /** EINVAL for a change that cannot be made to anything. */
    public static void requirePossible(InodeEdit edit) {
        ModeChange mode = edit.mode();
        if (edit.isNothing() || !edit.isKnown()) {
            throw new FsException(Errno.EINVAL, "nothing to change");
        }
        if (mode != null && mode.clauses().size() > ModeChange.MAX_CLAUSES) {
            throw new FsException(Errno.EINVAL, mode.clauses().size() + " clauses of a mode");
        }
        AttributeOperations.requirePossible(edit.policy());
    }

    public EntryReply edit(JobMutation.EditInode m) {
        requirePossible(m.edit());
        Inode inode = inodes.require(m.ino());
        if (m.version() != 0 && m.version() != inode.attributes().version()) {
            throw new FsException(Errno.ECANCELED, "inode " + m.ino() + " has changed meanwhile");
        }
        boolean hasPolicy = hasPolicy(inode);
        if (m.edit().policyMask() != 0 && !hasPolicy) {
            throw new FsException(
                    Errno.EINVAL, "inode " + m.ino() + " is neither a file nor a directory");
        }
        Inode changed = apply(inode, m.edit());
        return new EntryReply(changed == null ? inode : changed, null, null, null);
    }

    private static boolean hasPolicy(Inode inode) {
        FileType type = inode.attributes().type();
        return type == FileType.FILE || type == FileType.DIRECTORY;
    }

    /** Makes a possible change, as far as it concerns the inode; null when it is so already. */
    public @Nullable Inode apply(Inode inode, InodeEdit edit) {
        InodeDraft draft = new InodeDraft(inode);
        boolean isChanged = changeOwner(draft, edit);
        ModeChange mode = edit.mode();
        if (mode != null && draft.type != FileType.SYMLINK) {
            int wanted = mode.apply(draft.mode, draft.type == FileType.DIRECTORY);
            isChanged |= wanted != draft.mode;
            draft.setMode(wanted);
        }
        if (isChanged) {
            InodeProtection.requireFree(inode);
        }
        if (edit.policyMask() != 0 && hasPolicy(inode)) {
            isChanged |= changePolicy(draft, edit.policyAfter(draft.policy));
        }
        if (!isChanged) {
            return null;
        }
        draft.ctimeNs = transaction.nowNs();
        return inodes.put(draft);
    }

    /** Gives a file a policy; null when it has it already, and its layout too. */
    public @Nullable Inode apply(Inode file, Policy policy) {
        InodeDraft draft = new InodeDraft(file);
        if (!changePolicy(draft, policy)) {
            return null;
        }
        draft.ctimeNs = transaction.nowNs();
        return inodes.put(draft);
    }

    private static boolean changeOwner(InodeDraft draft, InodeEdit edit) {
        int uid = edit.uid() == -1 ? draft.uid : edit.uid();
        int gid = edit.gid() == -1 ? draft.gid : edit.gid();
        if (uid == draft.uid && gid == draft.gid) {
            return false;
        }
        draft.uid = uid;
        draft.gid = gid;
        draft.killPrivilege();
        return true;
    }

    private boolean changePolicy(InodeDraft draft, Policy policy) {
        boolean isChanged = !policy.equals(draft.policy);
        draft.policy = policy;
        Layout layout = draft.layout;
        if (layout != null && draft.inline != null && !layouts.satisfies(layout, policy)) {
            isChanged |= inline.follow(draft);
        }
        return isChanged;
    }

    /** Whether contents in chunks are not laid out as the policy of their file asks. */
    public boolean isMisplaced(Inode inode) {
        Layout layout = inode.layout();
        return layout != null
                && inode.inline() == null
                && !layouts.satisfies(layout, inode.policy());
    }
}
