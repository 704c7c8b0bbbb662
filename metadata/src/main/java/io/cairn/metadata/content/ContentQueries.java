package io.cairn.metadata.content;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.fs.TrashPlace;
import io.cairn.metadata.inode.InodeQueries;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.View;
import io.cairn.wire.master.ClusterRequest.GarbageTask;
import io.cairn.wire.master.Reply.EntryReply;
import java.util.ArrayList;
import java.util.List;

/** Queries about contents and released objects. Pure functions. */
public final class ContentQueries {
    private static final byte[] ALL = {};

    private ContentQueries() {}

    /** The inode, unless the object at its end is in doubt. */
    public static EntryReply checkTail(View view, long ino, long firstSureOid) {
        EntryReply entry = InodeQueries.entry(view, ino);
        Inode inode = entry.inode();
        Layout layout = inode.layout();
        if (layout != null && layout.oidAtEnd(inode.attributes().size()) < firstSureOid) {
            throw new FsException(Errno.ESTALE, "the tail of inode " + ino + " has to be renewed");
        }
        return entry;
    }

    public static List<Long> doubtful(View view, long beforeNs, int max) {
        List<Long> inos = new ArrayList<>();
        byte[] prefix = Keys.doubtful();
        view.scan(
                Family.META,
                prefix,
                prefix,
                (key, value) -> {
                    if (key.length > prefix.length && DoubtfulObjects.sinceNs(value) < beforeNs) {
                        inos.add(Keys.numberAt(key, prefix.length));
                    }
                    return inos.size() < max;
                });
        return inos;
    }

    /** Whether a file that has a name, and not in the trash, names an object besides an inode. */
    public static boolean isShared(View view, long oid, long ino) {
        byte[] prefix = Keys.of(oid);
        boolean[] isShared = {false};
        view.scan(
                Family.SHARED,
                prefix,
                prefix,
                (key, _) -> {
                    long user = Keys.numberAt(key, Long.BYTES);
                    Inode inode = user == ino ? null : view.inode(user);
                    isShared[0] =
                            inode != null
                                    && inode.attributes().nlink() > 0
                                    && !TrashPlace.isDirectory(inode.parentIno());
                    return !isShared[0];
                });
        return isShared[0];
    }

    public static List<GarbageTask> garbage(View view, long afterEntryId, int max) {
        List<GarbageTask> tasks = new ArrayList<>();
        view.scan(
                Family.GC,
                ALL,
                Keys.of(afterEntryId + 1),
                (key, value) -> tasks.size() < max && tasks.add(ObjectLedger.decode(key, value)));
        return tasks;
    }
}
