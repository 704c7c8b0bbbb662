package io.cairn.master.delegation;

import io.cairn.cluster.Inode;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.master.access.MountRules;
import io.cairn.metadata.Namespace;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.HostMutation;
import io.cairn.wire.master.JobMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.RecordChange;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.SessionMutation.MakeFile;
import io.cairn.wire.master.SessionMutation.Numbered;
import io.cairn.wire.master.TreeMutation;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The directories that a request is about, so that their names must be known before.
 *
 * @param isAnything whether it may be about any
 * @param isOfAll whether the rights of its own session are in its way, too
 */
record Touched(Set<Long> inos, boolean isAnything, boolean isOfAll) {
    private static final Touched NOTHING = new Touched(Set.of(), false, false);
    private static final Touched ANYTHING = new Touched(Set.of(), true, false);
    private static final Touched ANYTHING_OF_ALL = new Touched(Set.of(), true, true);

    private static Touched one(long ino) {
        return new Touched(Set.of(ino), false, false);
    }

    boolean isNothing() {
        return !isAnything && inos.isEmpty();
    }

    static Touched by(Query query) {
        return switch (query) {
            case Query.Lookup m -> one(m.parentIno());
            case Query.LookupMany m -> one(m.parentIno());
            case Query.ReadDirectory m -> one(m.ino());
            case Query.GetInode m -> one(m.ino());
            case Query.GetXattr m -> one(m.ino());
            case Query.ListXattr m -> one(m.ino());
            // Of files, which nobody knows before they are told, or of the cluster.
            case Query.OfState _, Query.OfLeader _, Query.OfLogin _ -> NOTHING;
        };
    }

    /**
     * Of a mutation.
     *
     * @param isOfHolder whether its session has the right in which it makes a file: then it never
     *     waits, as recalls wait for it
     */
    static Touched by(Envelope envelope, Namespace namespace, boolean isOfHolder) {
        if (isOfHolder && envelope.mutation() instanceof MakeFile) {
            return NOTHING;
        }
        return switch (envelope.mutation().unwrapped()) {
            case TreeMutation m -> byTree(m, namespace);
            // Files that others know are not among those which are not told yet.
            case ContentMutation _, ContentMutation.SharingMutation _ -> NOTHING;
            case SessionMutation _, Numbered _, HostMutation _ -> NOTHING;
            case LeaderMutation m -> byLeader(m);
        };
    }

    private static Touched byTree(TreeMutation mutation, Namespace namespace) {
        return switch (mutation) {
            case TreeMutation.Create _,
                    TreeMutation.Mkdir _,
                    TreeMutation.Symlink _,
                    TreeMutation.Link _,
                    TreeMutation.Unlink _,
                    TreeMutation.Rmdir _ ->
                    byNames(mutation, namespace);
            case TreeMutation.Rename m ->
                    bringsQuotas(m, namespace) ? ANYTHING_OF_ALL : byNames(m, namespace);
            case TreeMutation.CreateUnnamed m -> one(m.parentIno());
            case TreeMutation.SetAttributes m -> one(m.ino());
            case TreeMutation.WriteAndSet _ -> NOTHING;
            case TreeMutation.SetXattr m -> one(m.ino());
            case TreeMutation.ReplaceXattr m -> one(m.ino());
            case TreeMutation.RemoveXattr m -> one(m.ino());
            case TreeMutation.SetPolicy m -> one(m.ino());
            case TreeMutation.Witnessed _ -> ANYTHING;
        };
    }

    /** The directories of the names, and those that have the names: they may be removed. */
    private static Touched byNames(TreeMutation mutation, Namespace namespace) {
        Set<Long> inos = new LinkedHashSet<>(4);
        mutation.tellNames(
                new TreeMutation.NameChanges() {
                    @Override
                    public void made(long directoryIno, Name name) {
                        add(directoryIno, name);
                    }

                    @Override
                    public void removed(long directoryIno, Name name) {
                        add(directoryIno, name);
                    }

                    @Override
                    public void exchanged(long directoryIno) {
                        inos.add(directoryIno);
                    }

                    private void add(long directoryIno, Name name) {
                        inos.add(directoryIno);
                        Reply reply = namespace.read(0, new Query.Lookup(directoryIno, name));
                        if (reply instanceof Reply.EntryReply entry) {
                            Inode inode = entry.inode();
                            if (inode.attributes().isDirectory()) {
                                inos.add(inode.ino());
                            }
                        }
                    }
                });
        return new Touched(inos, false, false);
    }

    /** Whether directories may come below others with quotas, unknown to their mounts. */
    private static boolean bringsQuotas(TreeMutation.Rename m, Namespace namespace) {
        if (m.parentIno() == m.newParentIno() || namespace.accounts().quotaVersion() == 0) {
            return false;
        }
        boolean isExchange = (m.flags() & FileSystem.RENAME_EXCHANGE) != 0;
        return isDirectory(namespace, m.parentIno(), m.name())
                        && namespace.accounts().isLimited(m.newParentIno())
                || isExchange
                        && isDirectory(namespace, m.newParentIno(), m.newName())
                        && namespace.accounts().isLimited(m.parentIno());
    }

    private static boolean isDirectory(Namespace namespace, long parentIno, Name name) {
        return namespace.read(0, new Query.Lookup(parentIno, name)) instanceof Reply.EntryReply e
                && e.inode().attributes().isDirectory();
    }

    private static Touched byLeader(LeaderMutation mutation) {
        return switch (mutation) {
            case LeaderMutation.Purge _,
                    LeaderMutation.Collected _,
                    LeaderMutation.ReleaseChunks _,
                    LeaderMutation.ChangeMap _,
                    LeaderMutation.LoseSession _,
                    LeaderMutation.TakeRights _,
                    LeaderMutation.RenewObjects _,
                    LeaderMutation.RaiseLevel _,
                    LeaderMutation.Recover _,
                    LeaderMutation.DoubtObjects _,
                    LeaderMutation.Found _,
                    LeaderMutation.StorageMutation _,
                    LeaderMutation.TrashMutation.PurgeTrash _,
                    ContentMutation.SnapshotMutation.SweepHistory _ ->
                    NOTHING;
            case LeaderMutation.ChangeRecords m -> byRecords(m.changes());
            case LeaderMutation.ChangeSettings m -> byRecords(m.records());
            case JobMutation.EditInode m -> one(m.ino());
            case LeaderMutation _ -> ANYTHING;
        };
    }

    /** Where there are mount rules nobody makes names alone; other records do not matter. */
    private static Touched byRecords(List<RecordChange> changes) {
        boolean isOfRules =
                changes.stream().anyMatch(change -> change.key().equals(MountRules.RECORD));
        return isOfRules ? ANYTHING : NOTHING;
    }
}
