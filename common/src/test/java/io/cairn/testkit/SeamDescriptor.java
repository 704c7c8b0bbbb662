package io.cairn.testkit;

import io.cairn.fs.OpenFile;
import org.jspecify.annotations.Nullable;

/** An open file description of {@link SeamPosix}. Guarded by its own monitor. */
final class SeamDescriptor {
    final long ino;
    final int flags;

    /** Null for a directory. */
    final @Nullable OpenFile file;

    /** Identifies the description as an owner of flock locks. */
    final long owner;

    /** Of a file, in bytes; of a directory, the cookie to continue after. */
    long offset;

    /** How many numbers lead here. */
    int descriptors = 1;

    SeamDescriptor(long ino, int flags, @Nullable OpenFile file, long owner) {
        this.ino = ino;
        this.flags = flags;
        this.file = file;
        this.owner = owner;
    }
}
