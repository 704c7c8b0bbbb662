package io.cairn.metadata.tree;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Policy;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.quota.Sums;
import io.cairn.metadata.content.ContentOperations;
import io.cairn.metadata.content.InlineLayout;
import io.cairn.metadata.content.LayoutChoice;
import io.cairn.metadata.inode.AclOperation;
import io.cairn.metadata.inode.InodeDraft;
import io.cairn.metadata.inode.InodeProtection;
import io.cairn.metadata.inode.InodeTable;
import io.cairn.metadata.inode.XattrTable;
import io.cairn.metadata.state.Transaction;
import io.cairn.metadata.trash.TrashBin;
import io.cairn.metadata.usage.QuotaTable;
import io.cairn.wire.master.Reply.EntryReply;
import io.cairn.wire.master.TreeMutation;
import java.util.Arrays;

/**
 * The mutations of attributes, extended attributes and policies. Belongs to the apply thread.
 *
 * <p>The rights of callers are decided at the client; here are only the rules that hold for every
 * caller.
 */
public final class AttributeOperations {
    private static final int CHANGING =
            AttributeChange.MODE
                    | AttributeChange.UID
                    | AttributeChange.GID
                    | AttributeChange.SIZE
                    | AttributeChange.ATIME
                    | AttributeChange.MTIME
                    | AttributeChange.KILL_PRIVILEGE
                    | AttributeChange.FLAGS;

    private final Transaction transaction;
    private final InodeTable inodes;
    private final XattrTable xattrs;
    private final ContentOperations contents;
    private final LayoutChoice layouts;
    private final InlineLayout inline;

    public AttributeOperations(
            Transaction transaction,
            InodeTable inodes,
            XattrTable xattrs,
            ContentOperations contents,
            LayoutChoice layouts,
            InlineLayout inline) {
        this.transaction = transaction;
        this.inodes = inodes;
        this.xattrs = xattrs;
        this.contents = contents;
        this.layouts = layouts;
        this.inline = inline;
    }

    public EntryReply setAttributes(TreeMutation.SetAttributes m) {
        AttributeChange change = m.change();
        if ((change.mask() & ~AttributeChange.ALL) != 0) {
            throw new FsException(Errno.EINVAL, "attribute mask " + change.mask());
        }
        if (!isReadNoted(change)) {
            TrashBin.requireOutside(m.ino());
        }
        Inode inode = inodes.require(m.ino());
        if (change.has(AttributeChange.GUARD)
                && change.guardCtimeNs() != inode.attributes().ctimeNs()) {
            throw new FsException(
                    Errno.ECANCELED, "inode " + m.ino() + " has changed since its guard");
        }
        if (!change.has(CHANGING)) {
            return reply(inode);
        }
        if (isReadNoted(change)) {
            return noteRead(inode, change);
        }
        InodeProtection.requireChange(inode, change);
        InodeDraft draft = new InodeDraft(inode);
        if (change.has(AttributeChange.FLAGS)) {
            draft.flags = flagsAfter(inode, change);
        }
        requireRoom(inode, change);
        if (change.has(AttributeChange.SIZE)) {
            contents.resize(draft, change.size());
            draft.touch(transaction.nowNs());
        }
        apply(change, draft);
        layouts.settle(draft);
        return reply(inodes.put(draft));
    }

    /**
     * Checks a change that is made right after a write into the same file: it cannot fail then.
     *
     * @throws FsException EOPNOTSUPP where it depends on quotas, of which the write takes a part
     */
    void requireBesideWrite(TreeMutation.SetAttributes m) {
        AttributeChange change = m.change();
        if (!change.fitsWrite()) {
            throw new FsException(Errno.EINVAL, "attribute mask " + change.mask());
        }
        InodeProtection.requireChange(inodes.file(m.ino()), change);
        if (inodes.quotas().version() != 0
                && change.has(AttributeChange.UID | AttributeChange.GID)) {
            throw new FsException(Errno.EOPNOTSUPP, "an owner under quotas is set by itself");
        }
    }

    /** What is in the trash goes some day, so that nothing there may be made to stay. */
    private static int flagsAfter(Inode inode, AttributeChange change) {
        int after = InodeProtection.flagsAfter(inode, change);
        if ((after & Attributes.PROTECTING) != 0 && TrashBin.isTrashed(inode)) {
            throw new FsException(
                    Errno.EPERM,
                    "inode " + inode.ino() + " is in the trash: move it out of there first");
        }
        return after;
    }

    /** Before anything changes; in the inode 512 bytes are the unit of space. */
    private void requireRoom(Inode inode, AttributeChange change) {
        QuotaTable quotas = inodes.quotas();
        boolean isGrown =
                change.has(AttributeChange.SIZE)
                        && inode.attributes().isFile()
                        && change.size() > inode.attributes().size();
        if (quotas.version() == 0
                || !(isGrown
                        || change.has(AttributeChange.UID)
                        || change.has(AttributeChange.GID))) {
            return;
        }
        long length = isGrown ? change.size() - inode.attributes().size() : 0;
        long used = inode.attributes().usedBytes();
        long space =
                isGrown
                                && inode.inline() != null
                                && contents.fitsInline(
                                        inode.policy(), inode.attributes().size(), change.size())
                        ? InodeDraft.roundUp(change.size(), 512) - used
                        : 0;
        quotas.requireChange(
                inode,
                change.has(AttributeChange.UID) ? change.uid() : inode.attributes().uid(),
                change.has(AttributeChange.GID) ? change.gid() : inode.attributes().gid(),
                new Sums(0, length, space));
    }

    /** Makes a change without any check, and sets ctime. */
    void apply(AttributeChange change, InodeDraft draft) {
        if (change.has(AttributeChange.MODE)) {
            draft.setMode(change.mode() & 07777);
        }
        if (change.has(AttributeChange.UID)) {
            draft.uid = change.uid();
        }
        if (change.has(AttributeChange.GID)) {
            draft.gid = change.gid();
        }
        if (change.has(AttributeChange.KILL_PRIVILEGE)) {
            draft.killPrivilege();
        }
        if (change.has(AttributeChange.ATIME)) {
            boolean now = change.has(AttributeChange.ATIME_NOW);
            draft.atimeNs = now ? transaction.nowNs() : change.atimeNs();
        }
        if (change.has(AttributeChange.MTIME)) {
            boolean now = change.has(AttributeChange.MTIME_NOW);
            draft.mtimeNs = now ? transaction.nowNs() : change.mtimeNs();
        }
        draft.ctimeNs = transaction.nowNs();
    }

    private static boolean isReadNoted(AttributeChange change) {
        return change.has(AttributeChange.KEEP_CTIME)
                && (change.mask() & CHANGING) == AttributeChange.ATIME;
    }

    /**
     * Somebody has read: only atime moves, and only forward, because these changes arrive late. The
     * version stays, so that nobody's cache of the contents becomes worthless by reading it.
     */
    private EntryReply noteRead(Inode inode, AttributeChange change) {
        boolean now = change.has(AttributeChange.ATIME_NOW);
        long atimeNs = now ? transaction.nowNs() : change.atimeNs();
        if (inode.attributes().hasFlag(Attributes.NOATIME)) {
            return reply(inode);
        }
        if (atimeNs <= inode.attributes().atimeNs()) {
            return reply(inode);
        }
        InodeDraft draft = new InodeDraft(inode);
        draft.atimeNs = atimeNs;
        return reply(inodes.putQuietly(draft));
    }

    public EntryReply setXattr(TreeMutation.SetXattr m) {
        Inode inode = free(m.ino());
        if (AclOperation.isAbout(m.name())) {
            return changed(AclOperation.set(inode, m));
        }
        xattrs.set(m.ino(), m.name(), m.value(), m.flags());
        return changed(new InodeDraft(inode));
    }

    public EntryReply replaceXattr(TreeMutation.ReplaceXattr m) {
        Inode inode = free(m.ino());
        if (AclOperation.isAbout(m.name())) {
            throw new FsException(Errno.EOPNOTSUPP, "an ACL cannot be compared and set");
        }
        if (!Arrays.equals(xattrs.find(m.ino(), m.name()), m.expected())) {
            throw new FsException(
                    Errno.ECANCELED, "the attribute of inode " + m.ino() + " has changed");
        }
        xattrs.set(m.ino(), m.name(), m.value(), 0);
        return changed(new InodeDraft(inode));
    }

    public EntryReply removeXattr(TreeMutation.RemoveXattr m) {
        Inode inode = free(m.ino());
        if (AclOperation.isAbout(m.name())) {
            return changed(AclOperation.remove(inode, m.name()));
        }
        xattrs.remove(m.ino(), m.name());
        return changed(new InodeDraft(inode));
    }

    /** An inode whose extended attributes may change. */
    private Inode free(long ino) {
        Inode inode = inodes.require(ino);
        InodeProtection.requireFree(inode);
        return inode;
    }

    private EntryReply changed(InodeDraft draft) {
        draft.ctimeNs = transaction.nowNs();
        return reply(inodes.put(draft));
    }

    public EntryReply setPolicy(TreeMutation.SetPolicy m) {
        Policy policy = m.policy();
        requirePossible(policy);
        Inode inode = inodes.require(m.ino());
        InodeDraft draft = new InodeDraft(inode);
        draft.policy = policy;
        Layout layout = inode.layout();
        if (layout != null) {
            if (inode.inline() != null) {
                inline.follow(draft);
            } else if (!layouts.satisfies(layout, policy)) {
                throw new FsException(
                        Errno.ESTALE, "the contents of inode " + m.ino() + " have to be moved");
            }
        } else if (!inode.attributes().isDirectory()) {
            throw new FsException(
                    Errno.EINVAL, "inode " + m.ino() + " is neither a file nor a directory");
        }
        if (inode.inline() == null && policy.equals(inode.policy())) {
            // Whoever sets it for a whole tree changes only what is not so already.
            return reply(inode);
        }
        draft.ctimeNs = transaction.nowNs();
        return reply(inodes.put(draft));
    }

    static void requirePossible(Policy policy) {
        if (!policy.isPossible()) {
            throw new FsException(Errno.EINVAL, "impossible policy " + policy);
        }
    }

    private static EntryReply reply(Inode inode) {
        return new EntryReply(inode, null, null, null);
    }
}
