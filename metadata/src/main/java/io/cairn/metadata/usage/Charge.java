package io.cairn.metadata.usage;

import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileSystem;
import io.cairn.fs.TrashPlace;
import io.cairn.fs.quota.Sums;
import org.jspecify.annotations.Nullable;

/**
 * What an inode adds to the sums, and to which directory first. Something without a name is charged
 * to nobody: it goes as soon as nobody holds it open.
 */
final class Charge {
    /** No directory: nothing is charged, or only owners are. */
    static final long NOWHERE = 0;

    private static final Sums ONE = new Sums(1, 0, 0);

    private Charge() {}

    /** What the inode itself holds; without what lies below it. */
    static Sums of(@Nullable Inode inode, ClusterMap map) {
        return inode == null || inode.attributes().nlink() == 0 ? Sums.ZERO : held(inode, map);
    }

    /** The same, as if it had a name. */
    static Sums held(Inode inode, ClusterMap map) {
        Attributes a = inode.attributes();
        if (a.isDirectory()) {
            return ONE;
        }
        return a.size() == 0 && a.usedBytes() == 0
                ? ONE
                : new Sums(1, a.size(), a.usedBytes() * copies(inode, map));
    }

    /** Contents in the inode count once: the masters do not tell how many they are. */
    private static int copies(Inode inode, ClusterMap map) {
        Layout layout = inode.layout();
        return layout == null || inode.inline() != null ? 1 : map.copies(layout);
    }

    /** The directory of the first name; the root has none, and the trash is not part of it. */
    static long home(@Nullable Inode inode) {
        return inode == null
                        || inode.attributes().nlink() == 0
                        || inode.ino() == FileSystem.ROOT_INO
                        || inode.ino() == TrashPlace.INO
                ? NOWHERE
                : inode.parentIno();
    }
}
