package io.cairn.client.session;

import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.HostMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.SessionMutation.Numbered;
import io.cairn.wire.master.TreeMutation;
import java.util.Set;

/**
 * The inodes that a message is about, directories of names included.
 *
 * @param inos their numbers
 * @param isAnything whether it may be about others, too
 * @param isChange whether it changes what new files in such a directory are like
 */
record Mentioned(Set<Long> inos, boolean isAnything, boolean isChange) {
    private static final Mentioned NOTHING = new Mentioned(Set.of(), false, false);
    private static final Mentioned ANYTHING = new Mentioned(Set.of(), true, false);

    private static Mentioned one(long ino) {
        return new Mentioned(Set.of(ino), false, false);
    }

    private static Mentioned changed(long ino) {
        return new Mentioned(Set.of(ino), false, true);
    }

    static Mentioned by(Query query) {
        return switch (query) {
            case Query.Lookup m -> one(m.parentIno());
            case Query.LookupMany m -> one(m.parentIno());
            case Query.ReadDirectory m -> one(m.ino());
            case Query.GetInode m -> one(m.ino());
            case Query.GetXattr m -> one(m.ino());
            case Query.ListXattr m -> one(m.ino());
            case Query.TestLock m -> one(m.ino());
            case Query.TestHostLock m -> one(m.ino());
            case Query.GetPath m -> one(m.ino());
            case Query.CheckTail m -> one(m.ino());
            case Query.Open m -> one(m.ino());
            case Query.HoldStill m -> one(m.ino());
            case Query.GetAllowance m -> one(m.ino());
            case Query.OfState _, Query.OfLeader _, Query.OfLogin _ -> NOTHING;
        };
    }

    static Mentioned by(Mutation mutation) {
        return switch (mutation.unwrapped()) {
            case TreeMutation m -> byTree(m);
            case ContentMutation.WriteInline m -> one(m.ino());
            case ContentMutation.CommitSize m -> one(m.ino());
            case ContentMutation.Spill m -> one(m.ino());
            case ContentMutation.CloneDone m -> one(m.ino());
            case ContentMutation _, ContentMutation.SharingMutation _ -> ANYTHING;
            case SessionMutation.SetLock m -> one(m.ino());
            case SessionMutation.CancelLock m -> one(m.ino());
            case SessionMutation.ReleaseLocks m -> one(m.ino());
            case SessionMutation _, Numbered _ -> NOTHING;
            case HostMutation _, LeaderMutation _ -> ANYTHING;
        };
    }

    private static Mentioned byTree(TreeMutation mutation) {
        return switch (mutation) {
            case TreeMutation.Create m -> one(m.parentIno());
            case TreeMutation.CreateUnnamed m -> one(m.parentIno());
            case TreeMutation.Mkdir m -> one(m.parentIno());
            case TreeMutation.Symlink m -> one(m.parentIno());
            case TreeMutation.Link m ->
                    m.ino() == m.newParentIno()
                            ? one(m.ino())
                            : new Mentioned(Set.of(m.ino(), m.newParentIno()), false, false);
            case TreeMutation.Unlink m -> one(m.parentIno());
            // What has the name may be a directory with such files.
            case TreeMutation.Rmdir _, TreeMutation.Rename _ -> ANYTHING;
            case TreeMutation.SetAttributes m -> changed(m.ino());
            case TreeMutation.WriteAndSet m -> one(m.write().ino());
            case TreeMutation.SetXattr m -> changed(m.ino());
            case TreeMutation.ReplaceXattr m -> changed(m.ino());
            case TreeMutation.RemoveXattr m -> changed(m.ino());
            case TreeMutation.SetPolicy m -> changed(m.ino());
            case TreeMutation.Witnessed _ -> ANYTHING;
        };
    }
}
