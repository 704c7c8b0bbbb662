package io.cairn.fuse.loop;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;

/**
 * File capabilities, which a change of the contents or of the owner takes away. The kernel leaves
 * that to the filesystem when it negotiated HANDLE_KILLPRIV_V2. Thread-safe.
 */
public final class Capabilities {
    private final FileSystem fileSystem;
    private final CapabilityMemory memory;

    public Capabilities(FileSystem fileSystem, CapabilityMemory memory) {
        this.fileSystem = fileSystem;
        this.memory = memory;
    }

    /** The value of the attribute; ENODATA, mostly from memory. */
    public byte[] get(Caller caller, long ino) {
        if (memory.hasNone(ino)) {
            throw new FsException(Errno.ENODATA);
        }
        try {
            return fileSystem.getXattr(caller, ino, CapabilityMemory.attributeName());
        } catch (FsException e) {
            if (e.errno() == Errno.ENODATA) {
                memory.sawNone(ino);
            }
            throw e;
        }
    }

    /** Takes them away if there are any. */
    public void clear(Caller caller, long ino) {
        if (memory.hasNone(ino)) {
            return;
        }
        byte[] name = CapabilityMemory.attributeName();
        try {
            fileSystem.getXattr(caller, ino, name);
            fileSystem.removeXattr(Caller.checkedByKernel(0, 0), ino, name);
        } catch (FsException e) {
            if (e.errno() != Errno.ENODATA && e.errno() != Errno.EOPNOTSUPP) {
                throw e;
            }
        }
        memory.sawNone(ino);
    }
}
