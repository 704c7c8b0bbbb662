package io.cairn.master.access;

import io.cairn.fs.AttributeChange;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.HostMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.SessionMutation.Numbered;
import io.cairn.wire.master.TreeMutation;

/** The owners in a mutation, as a rule maps them. Pure functions. */
final class MappedOwners {
    private MappedOwners() {}

    /** The mutation with mapped owners; the same when it has none, or they stay. */
    static Mutation of(Mutation mutation, UserMapping mapping) {
        if (mapping.kind() == UserMapping.Kind.NONE) {
            return mutation;
        }
        return switch (mutation) {
            case TreeMutation.Create m -> create(m, mapping);
            case TreeMutation.CreateUnnamed m ->
                    new TreeMutation.CreateUnnamed(
                            m.parentIno(),
                            m.mode(),
                            mapping.mapUid(m.uid()),
                            mapping.mapGid(m.gid()),
                            m.linkable());
            case TreeMutation.Mkdir m ->
                    new TreeMutation.Mkdir(
                            m.parentIno(),
                            m.name(),
                            m.mode(),
                            mapping.mapUid(m.uid()),
                            mapping.mapGid(m.gid()));
            case TreeMutation.Symlink m ->
                    new TreeMutation.Symlink(
                            m.parentIno(),
                            m.name(),
                            m.target(),
                            mapping.mapUid(m.uid()),
                            mapping.mapGid(m.gid()));
            case TreeMutation.Rename m ->
                    new TreeMutation.Rename(
                            m.parentIno(),
                            m.name(),
                            m.newParentIno(),
                            m.newName(),
                            m.flags(),
                            mapping.mapUid(m.uid()),
                            mapping.mapGid(m.gid()));
            case TreeMutation.SetAttributes m ->
                    new TreeMutation.SetAttributes(m.ino(), attributes(m.change(), mapping));
            case TreeMutation.WriteAndSet m ->
                    new TreeMutation.WriteAndSet(m.write(), attributes(m.change(), mapping));
            case TreeMutation.Witnessed m -> new TreeMutation.Witnessed(of(m.mutation(), mapping));
            case TreeMutation.Link _,
                    TreeMutation.Unlink _,
                    TreeMutation.Rmdir _,
                    TreeMutation.SetXattr _,
                    TreeMutation.ReplaceXattr _,
                    TreeMutation.RemoveXattr _,
                    TreeMutation.SetPolicy _ ->
                    mutation;
            case ContentMutation _,
                    ContentMutation.SharingMutation _,
                    Numbered _,
                    SessionMutation _,
                    HostMutation _,
                    LeaderMutation _ ->
                    mutation;
        };
    }

    private static TreeMutation.Create create(TreeMutation.Create m, UserMapping mapping) {
        return new TreeMutation.Create(
                m.parentIno(),
                m.name(),
                m.fileType(),
                m.mode(),
                mapping.mapUid(m.uid()),
                mapping.mapGid(m.gid()),
                m.rdev(),
                m.orExisting(),
                m.verifier(),
                m.inline(),
                m.open());
    }

    private static AttributeChange attributes(AttributeChange change, UserMapping mapping) {
        AttributeChange mapped = change;
        if (change.has(AttributeChange.UID)) {
            mapped = mapped.withUid(mapping.mapUid(change.uid()));
        }
        if (change.has(AttributeChange.GID)) {
            mapped = mapped.withGid(mapping.mapGid(change.gid()));
        }
        return mapped;
    }
}
