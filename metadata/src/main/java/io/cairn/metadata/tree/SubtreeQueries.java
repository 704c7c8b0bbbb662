package io.cairn.metadata.tree;

import io.cairn.cluster.Inode;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.metadata.inode.DirectoryTable.Dentry;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.View;
import java.util.ArrayList;
import java.util.List;

/**
 * Queries about where inodes are in the tree, by walking from names to parents. Nothing of it is
 * remembered, so a renamed directory is seen at once. Pure functions.
 */
public final class SubtreeQueries {
    private SubtreeQueries() {}

    /** The inodes on a path from the root on, as far as there are names; the root is the first. */
    public static List<Long> trail(View view, List<Name> path) {
        List<Long> trail = new ArrayList<>(path.size() + 1);
        long at = FileSystem.ROOT_INO;
        trail.add(at);
        for (Name name : path) {
            byte[] value = view.get(Family.DENTRY, Keys.dentry(at, name));
            if (value == null) {
                break;
            }
            at = Dentry.decode(value).ino();
            trail.add(at);
        }
        return trail;
    }

    /** Whether an inode, by any of its names, is a directory or in the tree below it. */
    public static boolean isBelow(View view, long ino, long directoryIno) {
        if (climbs(view, ino, directoryIno)) {
            return true;
        }
        Inode inode = view.inode(ino);
        if (inode == null || inode.attributes().isDirectory() || inode.attributes().nlink() < 2) {
            return false;
        }
        boolean[] found = new boolean[1];
        byte[] all = Keys.of(ino);
        view.scan(
                Family.LINK,
                all,
                all,
                (key, _) -> {
                    found[0] = climbs(view, Keys.numberAt(key, 8), directoryIno);
                    return !found[0];
                });
        return found[0];
    }

    /** Whether the way from home to home comes by a directory. */
    private static boolean climbs(View view, long ino, long directoryIno) {
        long at = ino;
        while (at != directoryIno) {
            Inode inode = at == FileSystem.ROOT_INO ? null : view.inode(at);
            if (inode == null) {
                return false;
            }
            at = inode.parentIno();
        }
        return true;
    }
}
