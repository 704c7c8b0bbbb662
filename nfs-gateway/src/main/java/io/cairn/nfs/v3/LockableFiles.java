package io.cairn.nfs.v3;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileSystem;
import io.cairn.nfs.rpc.RpcCall;

/** The files behind handles as the lock programs see them. Thread-safe; blocks. */
public final class LockableFiles {
    private final ServedVolume volume;

    LockableFiles(ServedVolume volume) {
        this.volume = volume;
    }

    /**
     * The inode behind a handle.
     *
     * @throws FsException ESTALE for a handle that leads nowhere or is not ours, EACCES when the
     *     export is not for this client
     */
    public long find(RpcCall call, byte[] handle) {
        return target(call, handle).ino();
    }

    /**
     * The inode behind a handle, which the caller may lock: he owns it, or may read or write it.
     *
     * @param exclusive whether he wants to keep all others out, who might read
     * @throws FsException as {@link #find}; EACCES; EROFS when the lock is exclusive and the export
     *     read-only
     */
    public long findToLock(RpcCall call, byte[] handle, boolean exclusive) {
        Target target = target(call, handle);
        if (exclusive && target.rule().readOnly()) {
            throw new FsException(Errno.EROFS, "an exclusive lock in a read-only export");
        }
        Attributes found = volume.fs().getAttributes(target.caller(), target.ino());
        if (found.nlink() == 0) {
            throw new FsException(Errno.ESTALE, "inode " + target.ino() + " has no name any more");
        }
        if (!target.owns(found)) {
            requireAccess(target);
        }
        return target.ino();
    }

    private void requireAccess(Target target) {
        FileSystem fs = volume.fs();
        try {
            fs.access(target.caller(), target.ino(), FileSystem.ACCESS_READ);
        } catch (FsException e) {
            if (e.errno() != Errno.EACCES) {
                throw e;
            }
            fs.access(target.caller(), target.ino(), FileSystem.ACCESS_WRITE);
        }
    }

    private Target target(RpcCall call, byte[] handle) {
        try {
            return volume.target(call, handle);
        } catch (NfsException e) {
            throw e.status() == NfsStatus.ACCES
                    ? new FsException(Errno.EACCES, "not exported to " + call.peer())
                    : new FsException(Errno.ESTALE, "a handle that leads nowhere");
        }
    }
}
