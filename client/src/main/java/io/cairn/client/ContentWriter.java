package io.cairn.client;

import io.cairn.fs.Errno;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FsException;
import java.nio.ByteBuffer;

/**
 * Writes into the buffers of one inode. Thread-safe; blocks while there is no room, or while the
 * layout changes.
 */
final class ContentWriter {
    private final InodeState state;
    private final Mount mount;

    ContentWriter(InodeState state) {
        this.state = state;
        this.mount = state.mount();
    }

    /**
     * Buffers all remaining bytes of a source.
     *
     * @param append whether they are written under the APPEND token
     * @throws FsException EFBIG; ENOSPC when nothing can be stored; ETIMEDOUT when no room came
     *     free; EIO when the token was lost on the way
     */
    void write(long offset, ByteBuffer source, boolean append) {
        if (offset < 0 || offset > FileSystem.MAX_FILE_BYTES - source.remaining()) {
            throw new FsException(Errno.EFBIG);
        }
        long at = offset;
        while (source.hasRemaining()) {
            int taken = state.take(at, source, append);
            at += taken;
            if (taken == 0 && !mount.pool().awaitRoom(WriteBack.WINDOW_BYTES, mount.timeoutMs())) {
                throw new FsException(
                        Errno.ETIMEDOUT,
                        "no room in the write buffer for " + mount.timeoutMs() + " ms");
            }
        }
    }
}
