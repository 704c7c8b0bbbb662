package io.cairn.client.file;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.chunk.WriteBack;
import io.cairn.fs.FileSystem;
import java.nio.ByteBuffer;

/**
 * Writes into the buffers of one inode. Thread-safe; blocks while there is no room, or while the
 * layout changes.
 */
public final class ContentWriter {
    private final InodeState state;
    private final Mount mount;

    public ContentWriter(InodeState state) {
        this.state = state;
        this.mount = state.mount();
    }

    /**
     * Buffers all remaining bytes of a source.
     *
     * @throws FsException EFBIG; ENOSPC when nothing can be stored; ETIMEDOUT when no room came
     *     free
     */
    public void write(long offset, ByteBuffer source) {
        put(offset, source);
    }

    /**
     * As {@link #write}, under the APPEND token, at the end of the file: where that is when the
     * first bytes are taken, as a truncation may have kept them out for a while.
     *
     * @throws FsException besides EIO when the token was lost on the way
     */
    public void append(ByteBuffer source) {
        long next = Long.MAX_VALUE;
        while (source.hasRemaining()) {
            int taken;
            synchronized (state) {
                state.gate().pass();
                // Nearer than behind the last piece when others have cut the file meanwhile.
                long at = Math.min(next, state.size());
                taken = take(at, source, true);
                next = taken > 0 ? at + taken : next;
            }
            if (taken == 0) {
                awaitRoom();
            }
        }
    }

    private void put(long offset, ByteBuffer source) {
        long at = offset;
        while (source.hasRemaining()) {
            int taken = take(at, source, false);
            at += taken;
            if (taken == 0) {
                awaitRoom();
            }
        }
    }

    private int take(long at, ByteBuffer source, boolean append) {
        if (at < 0 || at > FileSystem.MAX_FILE_BYTES - source.remaining()) {
            throw new FsException(Errno.EFBIG);
        }
        return state.take(at, source, append);
    }

    private void awaitRoom() {
        if (!mount.pool().awaitRoom(WriteBack.WINDOW_BYTES, mount.timeoutMs())) {
            throw new FsException(
                    Errno.ETIMEDOUT,
                    "no room in the write buffer for " + mount.timeoutMs() + " ms");
        }
    }
}
