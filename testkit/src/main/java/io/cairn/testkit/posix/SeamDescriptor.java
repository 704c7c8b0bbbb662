package io.cairn.testkit.posix;

import io.cairn.fs.OpenFile;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** An open file description of {@link SeamPosix}. Guarded by its own monitor. */
final class SeamDescriptor {
    final long ino;
    int flags;

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

    synchronized boolean appends() {
        return (flags & Posix.O_APPEND) != 0;
    }

    synchronized void setAppend(boolean append) {
        flags = append ? flags | Posix.O_APPEND : flags & ~Posix.O_APPEND;
    }

    /** Writes where the description stands, or at the end. */
    synchronized int write(OpenFile to, byte[] bytes) {
        int written = to.write(offset, ByteBuffer.wrap(bytes), appends());
        offset = appends() ? to.attributes().size() : offset + written;
        return written;
    }
}
