package io.cairn.metadata.tree;

import io.cairn.cluster.Inode;
import io.cairn.fs.AttributeStamp;
import io.cairn.metadata.content.ContentOperations;
import io.cairn.metadata.state.Transaction;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.Reply.EntryReply;
import io.cairn.wire.master.SessionMutation.MakeDirectory;
import io.cairn.wire.master.SessionMutation.MakeFile;
import io.cairn.wire.master.SessionMutation.Numbered;
import io.cairn.wire.master.SessionMutation.RemoveEarly;
import io.cairn.wire.master.TreeMutation;
import java.util.ArrayList;
import java.util.List;

/** The mutations of the tree. Belongs to the apply thread. */
public final class TreeOperations {
    private final Transaction transaction;
    private final NameOperations names;
    private final RenameOperation rename;
    private final AttributeOperations attributes;
    private final ContentOperations contents;

    public TreeOperations(
            Transaction transaction,
            NameOperations names,
            RenameOperation rename,
            AttributeOperations attributes,
            ContentOperations contents) {
        this.transaction = transaction;
        this.names = names;
        this.rename = rename;
        this.attributes = attributes;
        this.contents = contents;
    }

    public Reply apply(TreeMutation mutation) {
        return switch (mutation) {
            case TreeMutation.Create m -> names.create(m);
            case TreeMutation.CreateUnnamed m -> names.createUnnamed(m);
            case TreeMutation.Mkdir m -> names.mkdir(m);
            case TreeMutation.Symlink m -> names.symlink(m);
            case TreeMutation.Link m -> names.link(m);
            case TreeMutation.Unlink m -> names.unlink(m);
            case TreeMutation.Rmdir m -> names.rmdir(m);
            case TreeMutation.Rename m -> rename.rename(m);
            case TreeMutation.SetAttributes m -> attributes.setAttributes(m);
            case TreeMutation.WriteAndSet m -> writeAndSet(m);
            case TreeMutation.SetXattr m -> attributes.setXattr(m);
            case TreeMutation.ReplaceXattr m -> attributes.replaceXattr(m);
            case TreeMutation.RemoveXattr m -> attributes.removeXattr(m);
            case TreeMutation.SetPolicy m -> attributes.setPolicy(m);
            case TreeMutation.Witnessed m -> witnessed(m);
        };
    }

    /** Does what a session may do with a number. */
    public Reply apply(Numbered mutation) {
        return switch (mutation) {
            case MakeFile m -> names.make(m, file -> attributes.apply(m.change(), file));
            case MakeDirectory m -> names.make(m);
            case RemoveEarly m -> apply(m.unwrapped());
        };
    }

    private Reply writeAndSet(TreeMutation.WriteAndSet m) {
        attributes.requireBesideWrite(m.set());
        return m.reply(contents.writeInline(m.write()), attributes.setAttributes(m.set()));
    }

    private Reply witnessed(TreeMutation.Witnessed m) {
        List<AttributeStamp> before = new ArrayList<>(2);
        for (long ino : m.inos()) {
            Inode inode = transaction.inode(ino);
            if (inode != null) {
                before.add(AttributeStamp.of(inode.attributes()));
            }
        }
        Reply reply =
                m.mutation() instanceof ContentMutation content
                        ? contents.apply(content)
                        : apply((TreeMutation) m.mutation());
        return reply instanceof EntryReply entry ? entry.witnessed(before) : reply;
    }
}
