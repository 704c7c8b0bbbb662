package io.cairn.metadata.tree;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.FileSystem;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.View;
import io.cairn.wire.master.Reply;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Lock;

/**
 * Finds the path of an inode, for operators: from each home to the next one, with the read lock
 * given back between them. A name that is renamed meanwhile may be missed.
 */
public final class PathSearch {
    /** Longest path it builds, in bytes. */
    static final int MAX_BYTES = 1 << 18;

    private final View view;
    private final Lock lock;

    /** Searches the view, which needs a lock held. */
    public PathSearch(View view, Lock lock) {
        this.view = view;
        this.lock = lock;
    }

    /** BytesReply with an absolute path; ESTALE, ENOENT for an orphan. */
    public Reply path(long ino) {
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
        lock.lock();
        try {
            return TreeQueries.dentryOf(view, ino);
        } finally {
            lock.unlock();
        }
    }
}
