package io.cairn.testkit.posix;

import io.cairn.fs.quota.Sums;

/**
 * What an administrator orders for directories of the filesystem behind a door, named by their
 * inode numbers. Each call returns when the order holds, and throws when it is refused.
 */
public interface Administration {
    /** What is removed below a directory is kept so many seconds; below 0: as above it. */
    void keepRemoved(long directory, long seconds);

    /** A directory may hold so much with all below; nothing removes the limit. */
    void limit(long directory, Sums hard);

    /** Takes a snapshot of a directory. */
    void takeSnapshot(long directory, String name);

    /** Drops that snapshot. */
    void dropSnapshot(long directory, String name);
}
