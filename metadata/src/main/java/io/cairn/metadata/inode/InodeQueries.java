package io.cairn.metadata.inode;

import io.cairn.cluster.Inode;
import io.cairn.fs.TrashPlace;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.View;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply.BytesReply;
import io.cairn.wire.master.Reply.EntryReply;
import io.cairn.wire.master.Reply.NamesReply;
import java.util.ArrayList;
import java.util.List;

/** Queries about inodes and their attributes. Pure functions. */
public final class InodeQueries {
    /** The trash before anything was ever in it. */
    private static final Inode EMPTY_TRASH = InodeTable.trash(0).seal();

    private InodeQueries() {}

    /** An inode, or ESTALE. */
    public static Inode require(View view, long ino) {
        Inode inode = view.inode(ino);
        if (inode == null && ino == TrashPlace.INO) {
            return EMPTY_TRASH;
        }
        if (inode == null) {
            throw InodeTable.stale(ino);
        }
        return inode;
    }

    /** An inode as a reply. */
    public static EntryReply entry(View view, long ino) {
        return new EntryReply(require(view, ino), null, null, null);
    }

    public static BytesReply getXattr(View view, Query.GetXattr q) {
        require(view, q.ino());
        XattrTable.requireName(q.name());
        byte[] value = view.get(Family.XATTR, Keys.xattr(q.ino(), q.name()));
        if (value == null) {
            throw XattrTable.missing(q.ino());
        }
        return new BytesReply(XattrTable.valueOf(value));
    }

    public static NamesReply listXattr(View view, Query.ListXattr q) {
        require(view, q.ino());
        List<byte[]> names = new ArrayList<>();
        byte[] head = Keys.of(q.ino());
        view.scan(
                Family.XATTR,
                head,
                head,
                (key, value) -> key.length == head.length || names.add(Keys.xattrNameOf(key)));
        return new NamesReply(names);
    }
}
