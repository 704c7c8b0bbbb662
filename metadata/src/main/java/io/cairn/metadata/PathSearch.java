package io.cairn.metadata;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.fs.FileSystem;
import io.cairn.metadata.View.FoundName;
import io.cairn.metadata.inode.InodeTable;
import io.cairn.metadata.state.Keys;
import io.cairn.wire.master.Reply;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * Finds a path of an inode, for operators. Inodes do not know their names, so that this reads a
 * directory per component and, for anything but a directory, perhaps all dentries: in slices, with
 * the read lock given back between them. What changes meanwhile may be missed.
 */
final class PathSearch {
    /** Longest path it builds, in bytes. */
    static final int MAX_BYTES = 1 << 18;

    private static final byte[] ALL = {};

    private final View view;
    private final Lock lock;

    /** Searches the view, which needs a lock held. */
    PathSearch(View view, Lock lock) {
        this.view = view;
        this.lock = lock;
    }

    /** BytesReply with an absolute path; ESTALE, ENOENT for an orphan. */
    Reply path(long ino) {
        try {
            return new Reply.BytesReply(search(ino));
        } catch (FsException e) {
            return new Reply.Failure(e.errno(), String.valueOf(e.getMessage()));
        }
    }

    private byte[] search(long ino) {
        Deque<byte[]> names = new ArrayDeque<>();
        int lengthBytes = 0;
        long at = ino;
        while (at != FileSystem.ROOT_INO) {
            byte[] key = dentryOf(at);
            byte[] name = Keys.nameOf(key).bytes();
            lengthBytes += name.length + 1;
            if (lengthBytes > MAX_BYTES) {
                throw new FsException(
                        Errno.ENAMETOOLONG, "the path of inode " + ino + " is too long");
            }
            names.addFirst(name);
            at = Keys.numberAt(key, 0);
        }
        return join(names, lengthBytes);
    }

    private static byte[] join(Deque<byte[]> names, int lengthBytes) {
        byte[] path = new byte[Math.max(1, lengthBytes)];
        path[0] = '/';
        int at = 0;
        for (byte[] name : names) {
            path[at++] = '/';
            System.arraycopy(name, 0, path, at, name.length);
            at += name.length;
        }
        return path;
    }

    private byte[] dentryOf(long ino) {
        Inode inode = locked(ino);
        if (inode == null) {
            throw InodeTable.stale(ino);
        }
        byte[] prefix = inode.attributes().isDirectory() ? Keys.of(inode.parentIno()) : ALL;
        byte[] from = prefix;
        FoundName next = inode.attributes().nlink() == 0 ? null : locked(ino, prefix, from);
        while (next != null && !next.isFound()) {
            from = Arrays.copyOf(next.dentryKey(), next.dentryKey().length + 1);
            next = locked(ino, prefix, from);
        }
        if (next == null) {
            throw new FsException(Errno.ENOENT, "inode " + ino + " has no name");
        }
        return next.dentryKey();
    }

    private @Nullable Inode locked(long ino) {
        lock.lock();
        try {
            return view.inode(ino);
        } finally {
            lock.unlock();
        }
    }

    private @Nullable FoundName locked(long ino, byte[] prefix, byte[] from) {
        lock.lock();
        try {
            return view.findName(ino, prefix, from);
        } finally {
            lock.unlock();
        }
    }
}
