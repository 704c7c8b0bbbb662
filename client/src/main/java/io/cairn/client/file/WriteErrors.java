package io.cairn.client.file;

import io.cairn.base.Errno;
import io.cairn.base.FsException;

/**
 * The errors that befell data of one inode after its writer was told that all is well. Each open
 * file remembers how many it has reported. Guarded by the lock of the inode.
 */
final class WriteErrors {
    private long count;
    private FsException last = new FsException(Errno.EIO);

    /** Another error. */
    void note(FsException error) {
        count++;
        last = error;
    }

    /** How many there were. */
    long count() {
        return count;
    }

    /** The last one. */
    FsException last() {
        return last;
    }
}
