package io.cairn.client.tree;

import io.cairn.client.file.OpenInode;
import io.cairn.client.file.OpenInodes;
import io.cairn.cluster.DirectoryState;
import io.cairn.fs.AttributeStamp;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.ChangeListener;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Reply.EntryReply;
import io.cairn.wire.master.TreeMutation;
import org.jspecify.annotations.Nullable;

/**
 * Tells the witness of a caller what the master says that a mutation did: the attributes before and
 * after it, both of the very moment. Thread-safe; never blocks.
 */
final class ChangeReport {
    private final OpenInodes open;
    private final AccessTimes accessTimes;

    ChangeReport(OpenInodes open, AccessTimes accessTimes) {
        this.open = open;
        this.accessTimes = accessTimes;
    }

    /** The mutation to send: with a question about what was before only if somebody listens. */
    static Mutation asked(Caller caller, Mutation mutation) {
        return caller.witness() == null ? mutation : new TreeMutation.Witnessed(mutation);
    }

    /** Passes on what a reply says. */
    void give(Caller caller, EntryReply reply) {
        ChangeListener witness = caller.witness();
        if (witness == null) {
            return;
        }
        for (AttributeStamp before : reply.before()) {
            Attributes after = after(reply, before.ino());
            if (after != null && !isBuffered(before.ino())) {
                witness.saw(before, accessTimes.over(after));
            }
        }
    }

    /** Whether this client shows the inode otherwise than the master: then it cannot be told. */
    private boolean isBuffered(long ino) {
        OpenInode state = open.get(ino);
        return state != null && state.isDirty();
    }

    private static @Nullable Attributes after(EntryReply reply, long ino) {
        if (reply.inode().ino() == ino) {
            return reply.inode().attributes();
        }
        DirectoryState parent = reply.parent();
        if (parent != null && parent.ino() == ino) {
            return parent.attributes();
        }
        DirectoryState other = reply.otherParent();
        return other != null && other.ino() == ino ? other.attributes() : null;
    }
}
