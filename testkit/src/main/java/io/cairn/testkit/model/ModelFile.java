package io.cairn.testkit.model;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.OpenFile;
import java.nio.ByteBuffer;

/** An open file of the model. Thread-safe by the monitor of its {@link ModelFileSystem}. */
final class ModelFile implements OpenFile {
    private static final int KEEP_SIZE = 1;
    private static final int PUNCH_HOLE = 2;
    private static final int ZERO_RANGE = 16;

    private final ModelFileSystem monitor;
    private final ModelTree tree;
    private final ModelNode node;
    private final Caller caller;
    private final int flags;
    private boolean closed;

    ModelFile(ModelFileSystem monitor, ModelTree tree, ModelNode node, Caller caller, int flags) {
        this.monitor = monitor;
        this.tree = tree;
        this.node = node;
        this.caller = caller;
        this.flags = flags;
    }

    @Override
    public long ino() {
        return node.ino;
    }

    @Override
    public int flags() {
        return flags;
    }

    @Override
    public Attributes attributes() {
        synchronized (monitor) {
            return node.attributes();
        }
    }

    @Override
    public int read(long offsetBytes, ByteBuffer target) {
        synchronized (monitor) {
            require(offsetBytes, FileSystem.O_WRONLY);
            int asked = target.remaining();
            if (asked == 0) {
                return 0;
            }
            tree.touch(node);
            long left = Math.max(0, node.size - offsetBytes);
            int length = (int) Math.min(asked, left);
            int limit = target.limit();
            target.limit(target.position() + length);
            node.contents.read(offsetBytes, target);
            target.limit(limit);
            return length;
        }
    }

    @Override
    public int write(long offsetBytes, ByteBuffer source) {
        return write(offsetBytes, source, (flags & FileSystem.O_APPEND) != 0);
    }

    @Override
    public int write(long offsetBytes, ByteBuffer source, boolean append) {
        synchronized (monitor) {
            require(offsetBytes, FileSystem.O_RDONLY);
            int length = source.remaining();
            if (length == 0) {
                return 0;
            }
            ModelPermissions.requireNone(node, Attributes.IMMUTABLE);
            if (!append && (flags & FileSystem.O_APPEND) != 0) {
                ModelPermissions.requireNone(node, Attributes.APPEND);
            }
            long offset = append ? node.size : offsetBytes;
            requireRoom(offset, length);
            tree.write(node, offset, source);
            if (caller.uid() != 0) {
                node.killPrivilege();
            }
            return length;
        }
    }

    private void require(long offsetBytes, int refusedMode) {
        if (closed || (flags & FileSystem.O_ACCMODE) == refusedMode) {
            throw new FsException(Errno.EBADF, "inode " + node.ino + " is not open for this");
        }
        if (offsetBytes < 0) {
            throw new FsException(Errno.EINVAL, "offset " + offsetBytes);
        }
    }

    private static void requireRoom(long offset, long length) {
        if (offset > FileSystem.MAX_FILE_BYTES - length) {
            throw new FsException(Errno.EFBIG, length + " bytes at " + offset);
        }
    }

    @Override
    public void flush() {
        synchronized (monitor) {
            requireOpen();
        }
    }

    @Override
    public void sync(boolean dataOnly) {
        synchronized (monitor) {
            requireOpen();
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new FsException(Errno.EBADF, "inode " + node.ino + " is closed");
        }
    }

    @Override
    public void allocate(int mode, long offsetBytes, long lengthBytes) {
        synchronized (monitor) {
            require(0, FileSystem.O_RDONLY);
            if (offsetBytes < 0 || lengthBytes <= 0) {
                throw new FsException(Errno.EINVAL, lengthBytes + " bytes at " + offsetBytes);
            }
            requireRoom(offsetBytes, lengthBytes);
            boolean more = (mode & ~KEEP_SIZE) != 0;
            ModelPermissions.requireNone(node, more ? Attributes.PROTECTING : Attributes.IMMUTABLE);
            boolean punch = mode == (PUNCH_HOLE | KEEP_SIZE);
            boolean zero = (mode & ~KEEP_SIZE) == ZERO_RANGE;
            boolean reserve = (mode & ~KEEP_SIZE) == 0;
            if (!punch && !zero && !reserve) {
                throw new FsException(Errno.EOPNOTSUPP, "fallocate mode " + mode);
            }
            if (!punch) {
                tree.requireFree(lengthBytes - node.contents.usedBytes());
            }
            if (punch || zero) {
                tree.freeing(node, () -> node.contents.zero(offsetBytes, lengthBytes));
            }
            if (!punch) {
                tree.reserve(node.contents.missingBytes(offsetBytes, lengthBytes));
                node.contents.allocate(offsetBytes, lengthBytes);
                if ((mode & KEEP_SIZE) == 0) {
                    node.size = Math.max(node.size, offsetBytes + lengthBytes);
                }
            }
            if (caller.uid() != 0) {
                node.killPrivilege();
            }
            tree.modified(node);
        }
    }

    @Override
    public long seek(long offsetBytes, boolean data) {
        synchronized (monitor) {
            requireOpen();
            if (offsetBytes < 0 || offsetBytes >= node.size) {
                throw new FsException(Errno.ENXIO, "offset " + offsetBytes + " of " + node.size);
            }
            long found =
                    data
                            ? node.contents.nextData(offsetBytes, node.size)
                            : node.contents.nextHole(offsetBytes, node.size);
            if (found < 0) {
                throw new FsException(Errno.ENXIO, "no data after " + offsetBytes);
            }
            return found;
        }
    }

    @Override
    public void close() {
        synchronized (monitor) {
            if (!closed) {
                closed = true;
                node.opens--;
                tree.dropIfUnused(node);
            }
        }
    }
}
