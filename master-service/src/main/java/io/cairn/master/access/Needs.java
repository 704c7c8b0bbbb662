package io.cairn.master.access;

import io.cairn.cluster.Inode;
import io.cairn.fs.Acl;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.FileType;
import io.cairn.fs.Lock;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.ContentMutation.SharingMutation;
import io.cairn.wire.master.HostMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.SessionMutation.MakeFile;
import io.cairn.wire.master.TreeMutation;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What a mutation needs.
 *
 * @param inos inodes that must be in a tree of a rule
 * @param operations that must not be denied there
 * @param isChange whether nothing of it may be read-only
 * @param isWide whether it concerns all of the cluster, and needs a rule for {@code /}
 */
record Needs(List<Long> inos, Set<Operation> operations, boolean isChange, boolean isWide) {
    /** Nothing: it concerns the session alone. */
    private static final Needs NOTHING = new Needs(List.of(), Set.of(), false, false);

    private static final Needs WIDE = new Needs(List.of(), Set.of(), false, true);

    static Needs of(Mutation mutation) {
        return switch (mutation) {
            case TreeMutation m -> ofTree(m);
            case ContentMutation m -> ofContents(m);
            case SharingMutation.ShareChunks m -> change(Operation.WRITE, m.ino(), m.sourceIno());
            case MakeFile m -> {
                Set<Operation> operations = ofAttributes(m.change());
                operations.add(Operation.CREATE);
                operations.add(Operation.WRITE);
                yield new Needs(List.of(m.create().parentIno()), operations, true, false);
            }
            case SessionMutation.MakeDirectory m -> of(m.mkdir());
            case SessionMutation.RemoveEarly m -> of(m.unwrapped());
            case SessionMutation.SetLock m -> ofLock(m.ino(), m.lock());
            case SessionMutation.CancelLock _,
                    SessionMutation.ReleaseLocks _,
                    SessionMutation.ReserveNumbers _,
                    SessionMutation.OpenSession _,
                    SessionMutation.CloseSession _ ->
                    NOTHING;
            // A machine that has a younger state loses its locks of all trees.
            case HostMutation.SetHostLock m -> ofLock(m.ino(), m.lock()).wide();
            case HostMutation.CancelHostLock m ->
                    new Needs(List.of(m.ino()), Set.of(), false, true);
            case HostMutation.ReleaseHost _, HostMutation.TakeNotifyState _ -> WIDE;
            case LeaderMutation _ -> NOTHING;
        };
    }

    private Needs wide() {
        return new Needs(inos, operations, isChange, true);
    }

    /** The same, and what else it is to exchange the contents of two files. */
    Needs ofSwap(Inode one, Inode other) {
        Set<Operation> all = EnumSet.copyOf(operations);
        if (!one.policy().equals(other.policy())) {
            all.add(Operation.POLICY);
        }
        if (one.attributes().size() != other.attributes().size()) {
            all.add(Operation.TRUNCATE);
        }
        return new Needs(inos, all, isChange, isWide);
    }

    private static Needs change(Operation operation, Long... inos) {
        return new Needs(List.of(inos), Set.of(operation), true, false);
    }

    private static Needs ofTree(TreeMutation mutation) {
        return switch (mutation) {
            case TreeMutation.Create m ->
                    change(
                            m.fileType() == FileType.FILE ? Operation.CREATE : Operation.MKNOD,
                            m.parentIno());
            case TreeMutation.CreateUnnamed m -> change(Operation.CREATE, m.parentIno());
            case TreeMutation.Mkdir m -> change(Operation.MKDIR, m.parentIno());
            case TreeMutation.Symlink m -> change(Operation.SYMLINK, m.parentIno());
            case TreeMutation.Link m -> change(Operation.LINK, m.ino(), m.newParentIno());
            case TreeMutation.Unlink m -> change(Operation.UNLINK, m.parentIno());
            case TreeMutation.Rmdir m -> change(Operation.RMDIR, m.parentIno());
            case TreeMutation.Rename m -> change(Operation.RENAME, m.parentIno(), m.newParentIno());
            case TreeMutation.SetAttributes m ->
                    new Needs(List.of(m.ino()), ofAttributes(m.change()), true, false);
            case TreeMutation.WriteAndSet m -> {
                Set<Operation> operations = ofAttributes(m.change());
                operations.add(Operation.WRITE);
                yield new Needs(List.of(m.write().ino()), operations, true, false);
            }
            case TreeMutation.SetXattr m -> change(ofXattr(m.name()), m.ino());
            case TreeMutation.ReplaceXattr m -> change(ofXattr(m.name()), m.ino());
            case TreeMutation.RemoveXattr m -> change(ofXattr(m.name()), m.ino());
            case TreeMutation.SetPolicy m -> change(Operation.POLICY, m.ino());
            case TreeMutation.Witnessed m -> of(m.mutation());
        };
    }

    private static Set<Operation> ofAttributes(AttributeChange change) {
        Set<Operation> operations = EnumSet.noneOf(Operation.class);
        if (change.has(AttributeChange.MODE | AttributeChange.FLAGS)) {
            operations.add(Operation.CHMOD);
        }
        if (change.has(AttributeChange.UID | AttributeChange.GID)) {
            operations.add(Operation.CHOWN);
        }
        if (change.has(AttributeChange.SIZE)) {
            operations.add(Operation.TRUNCATE);
        }
        boolean isRead = change.has(AttributeChange.KEEP_CTIME);
        if (change.has(AttributeChange.MTIME) || change.has(AttributeChange.ATIME) && !isRead) {
            operations.add(Operation.UTIMES);
        }
        return operations;
    }

    private static Operation ofXattr(byte[] name) {
        return isAcl(name) ? Operation.CHMOD : Operation.XATTR;
    }

    static boolean isAcl(byte[] name) {
        String text = new String(name, StandardCharsets.ISO_8859_1);
        return text.equals(Acl.ACCESS_ATTRIBUTE) || text.equals(Acl.DEFAULT_ATTRIBUTE);
    }

    private static Needs ofContents(ContentMutation mutation) {
        return switch (mutation) {
            case ContentMutation.WriteInline m -> change(Operation.WRITE, m.ino());
            case ContentMutation.CommitSize m -> change(Operation.WRITE, m.ino());
            case ContentMutation.Spill m -> change(Operation.WRITE, m.ino());
            case ContentMutation.CloneDone m -> change(Operation.WRITE, m.ino());
            case ContentMutation.SwapContents m -> change(Operation.WRITE, m.ino(), m.otherIno());
            case ContentMutation.RenewTail m -> change(Operation.WRITE, m.ino());
            case ContentMutation.TakeDetour m -> change(Operation.WRITE, m.ino());
            case ContentMutation.TakePartialDetour m -> change(Operation.WRITE, m.ino());
            case ContentMutation.RenewChunks m -> change(Operation.WRITE, m.ino());
            case ContentMutation.MoveChunks m -> change(Operation.WRITE, m.ino());
        };
    }

    /** What is held can be given back wherever the file is now; appending is writing. */
    private static Needs ofLock(long ino, Lock lock) {
        if (lock.mode() == Lock.Mode.UNLOCK) {
            return NOTHING;
        }
        return lock.kind() == Lock.Kind.APPEND
                ? change(Operation.WRITE, ino)
                : new Needs(List.of(ino), Set.of(Operation.LOCK), false, false);
    }
}
