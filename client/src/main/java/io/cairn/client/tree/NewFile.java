package io.cairn.client.tree;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Caller;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.wire.master.TreeMutation;

/**
 * The properties of a file to be made.
 *
 * @param mode permission bits, before what the directory has to say about them
 * @param rdev device number of a device, else 0
 * @param verifier tells exclusive creations apart; 0 for others
 * @param opened whether it is opened, too
 */
public record NewFile(FileType type, int mode, long rdev, long verifier, boolean opened) {
    private static final byte[] NOTHING = {};

    /**
     * A node as of mknod(2).
     *
     * @param rdev counts for devices only
     * @throws FsException EINVAL for a directory or a symbolic link
     */
    public static NewFile node(FileType type, int mode, long rdev) {
        if (type == FileType.DIRECTORY || type == FileType.SYMLINK) {
            throw new FsException(Errno.EINVAL, "mknod of a " + type);
        }
        boolean device = type == FileType.CHARACTER_DEVICE || type == FileType.BLOCK_DEVICE;
        return new NewFile(type, mode, device ? rdev : 0, 0, false);
    }

    /** The mutation that makes it, with the mode that it gets. */
    public TreeMutation.Create creation(Caller caller, long parentIno, Name name, int finalMode) {
        return new TreeMutation.Create(
                parentIno,
                name,
                type,
                finalMode & 07777,
                caller.uid(),
                caller.gid(),
                rdev,
                false,
                verifier,
                NOTHING,
                opened);
    }
}
