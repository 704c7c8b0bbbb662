package io.cairn.nfs;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.OpenFile;
import io.cairn.nfs.NfsClient.ReadBytes;
import java.nio.ByteBuffer;

/** An open file of {@link NfsFileSystem}: all the state that NFS version 3 leaves to the client. */
final class NfsOpenFile implements OpenFile {
    private static final int TRANSFER_BYTES = 256 << 10;
    private static final int UNSTABLE = 0;
    private static final int FILE_SYNC = 2;

    private final NfsFileSystem fs;
    private final Caller caller;
    private final long ino;
    private final int flags;
    private boolean closed;

    NfsOpenFile(NfsFileSystem fs, Caller caller, long ino, int flags) {
        this.fs = fs;
        this.caller = caller;
        this.ino = ino;
        this.flags = flags;
        fs.open().opened(ino);
    }

    @Override
    public long ino() {
        return ino;
    }

    @Override
    public int flags() {
        return flags;
    }

    @Override
    public Attributes attributes() {
        return fs.getAttributes(caller, ino);
    }

    private void require(int refused) {
        if (closed || (flags & FileSystem.O_ACCMODE) == refused) {
            throw new FsException(Errno.EBADF);
        }
    }

    @Override
    public int read(long offsetBytes, ByteBuffer target) {
        require(FileSystem.O_WRONLY);
        int total = 0;
        while (target.hasRemaining()) {
            long at = offsetBytes + total;
            int count = Math.min(target.remaining(), TRANSFER_BYTES);
            ReadBytes data = fs.ask(caller, c -> c.read(fs.handle(ino), at, count));
            target.put(data.bytes());
            total += data.bytes().length;
            if (data.eof()) {
                break;
            }
        }
        return total;
    }

    @Override
    public int write(long offsetBytes, ByteBuffer source) {
        return write(offsetBytes, source, (flags & FileSystem.O_APPEND) != 0);
    }

    @Override
    public int write(long offsetBytes, ByteBuffer source, boolean append) {
        require(FileSystem.O_RDONLY);
        int count = source.remaining();
        long at = append && count > 0 ? attributes().size() : offsetBytes;
        if (at > FileSystem.MAX_FILE_BYTES - count) {
            throw new FsException(Errno.EFBIG);
        }
        int stable = (flags & FileSystem.O_DSYNC) != 0 ? FILE_SYNC : UNSTABLE;
        while (source.hasRemaining()) {
            byte[] piece = new byte[Math.min(source.remaining(), TRANSFER_BYTES)];
            source.get(piece);
            long offset = at;
            fs.ask(caller, c -> c.write(fs.handle(ino), offset, piece, stable));
            at += piece.length;
        }
        return count;
    }

    @Override
    public void flush() {
        if ((flags & FileSystem.O_ACCMODE) != FileSystem.O_RDONLY) {
            fs.ask(caller, c -> c.commit(fs.handle(ino)));
        }
    }

    @Override
    public void sync(boolean dataOnly) {
        flush();
    }

    @Override
    public void allocate(int mode, long offsetBytes, long lengthBytes) {
        throw new FsException(Errno.EOPNOTSUPP);
    }

    @Override
    public long seek(long offsetBytes, boolean data) {
        throw new FsException(Errno.EOPNOTSUPP);
    }

    @Override
    public void close() {
        if (!closed) {
            try {
                flush();
            } finally {
                closed = true;
                fs.open().closed(ino);
            }
        }
    }
}
