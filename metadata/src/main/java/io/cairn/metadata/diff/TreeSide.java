package io.cairn.metadata.diff;

import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.fs.FileSystem;
import io.cairn.fs.TrashPlace;
import io.cairn.metadata.inode.DirectoryTable.Dentry;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.View;
import io.cairn.metadata.tree.TreeQueries;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** One state of a tree. Not thread-safe: remembers where directories are. */
final class TreeSide {
    private final View view;
    private final long root;

    /** Paths of directories from the root on; null for one that is not below it. */
    private final Map<Long, byte @Nullable []> paths = new HashMap<>();

    /** A name in a directory. */
    record Entry(byte[] key, Dentry dentry) {
        long parent() {
            return Keys.numberAt(key, 0);
        }

        byte[] name() {
            return Keys.nameOf(key).bytes();
        }
    }

    TreeSide(View view, long root) {
        this.view = view;
        this.root = root;
        paths.put(root, new byte[0]);
    }

    @Nullable Inode inode(long ino) {
        return view.inode(ino);
    }

    byte @Nullable [] get(Family family, byte[] key) {
        return view.get(family, key);
    }

    /** Whether a name is there, of the same inode. */
    boolean has(Entry entry) {
        byte[] value = get(Family.DENTRY, entry.key);
        return value != null && Dentry.decode(value).ino() == entry.dentry.ino();
    }

    /** The names in a directory whose values pass a test. */
    void each(long directory, Predicate<byte[]> test, Predicate<Entry> visitor) {
        byte[] prefix = Keys.of(directory);
        view.scan(
                Family.DENTRY,
                prefix,
                prefix,
                (key, value) ->
                        !test.test(value) || visitor.test(new Entry(key, Dentry.decode(value))));
    }

    /** Whether the home of an inode is in the tree; the root is. */
    boolean contains(long ino) {
        if (ino == root) {
            return true;
        }
        byte[] home = home(ino);
        return home != null && path(Keys.numberAt(home, 0)) != null;
    }

    /** The trash is below the root, and no part of it that anybody made. */
    private byte @Nullable [] home(long ino) {
        try {
            return ino == FileSystem.ROOT_INO || TrashPlace.isDirectory(ino)
                    ? null
                    : TreeQueries.dentryOf(view, ino);
        } catch (FsException e) {
            return null;
        }
    }

    /** The path of a directory; null when it is not in the tree. */
    private byte @Nullable [] path(long directory) {
        List<byte[]> homes = new ArrayList<>();
        List<Long> way = new ArrayList<>();
        long at = directory;
        while (!paths.containsKey(at)) {
            byte[] home = home(at);
            way.add(at);
            if (home == null) {
                // At the root of all, or without a name: none of these is in the tree.
                way.forEach(each -> paths.put(each, null));
                return null;
            }
            homes.add(home);
            at = Keys.numberAt(home, 0);
        }
        byte[] path = paths.get(at);
        for (int i = way.size() - 1; i >= 0; i--) {
            path = path == null ? null : joined(path, Keys.nameOf(homes.get(i)).bytes());
            paths.put(way.get(i), path);
        }
        return path;
    }

    /** The path of a name; null when its directory is not in the tree any more. */
    byte @Nullable [] path(Entry entry) {
        byte[] parent = path(entry.parent());
        return parent == null ? null : joined(parent, entry.name());
    }

    /** The path of the home of an inode; null when it is not in the tree. */
    byte @Nullable [] pathOf(long ino) {
        if (ino == root) {
            return new byte[0];
        }
        byte[] home = home(ino);
        byte[] parent = home == null ? null : path(Keys.numberAt(home, 0));
        return home == null || parent == null ? null : joined(parent, Keys.nameOf(home).bytes());
    }

    private static byte[] joined(byte[] parent, byte[] name) {
        ByteArrayOutputStream path = new ByteArrayOutputStream();
        path.writeBytes(parent);
        if (parent.length > 0) {
            path.write('/');
        }
        path.writeBytes(name);
        return path.toByteArray();
    }
}
