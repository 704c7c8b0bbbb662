package io.cairn.metadata.inode;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileType;

/**
 * What the flags of {@code chattr +i} and {@code chattr +a} forbid, for every caller, with EPERM as
 * Linux has it on ext4. Pure functions.
 */
public final class InodeProtection {
    private static final int RIGHTS =
            AttributeChange.MODE | AttributeChange.UID | AttributeChange.GID;

    private InodeProtection() {}

    private static FsException refused(Inode inode) {
        boolean immutable = inode.attributes().hasFlag(Attributes.IMMUTABLE);
        return new FsException(
                Errno.EPERM,
                "inode %d is %s: take that away with chattr -%s"
                        .formatted(
                                inode.ino(),
                                immutable ? "immutable" : "append-only",
                                immutable ? "i" : "a"));
    }

    /** Contents may be written at the end, and names may be added to a directory. */
    public static void requireGrowing(Inode inode) {
        if (inode.attributes().hasFlag(Attributes.IMMUTABLE)) {
            throw refused(inode);
        }
    }

    /** Owner, rights and extended attributes may change, and a name may be added or taken away. */
    public static void requireFree(Inode inode) {
        if (inode.attributes().hasFlag(Attributes.PROTECTING)) {
            throw refused(inode);
        }
    }

    /** An inode may lose its name in a directory. */
    public static void requireRemovable(Inode directory, Inode inode) {
        requireFree(directory);
        requireFree(inode);
    }

    /**
     * Attributes may change. An append-only inode takes the times of now, and no others; the time
     * of a read is not asked for here.
     */
    public static void requireChange(Inode inode, AttributeChange change) {
        if (!inode.attributes().hasFlag(Attributes.PROTECTING)) {
            return;
        }
        boolean isTimeGiven =
                isGiven(change, AttributeChange.ATIME, AttributeChange.ATIME_NOW)
                        || isGiven(change, AttributeChange.MTIME, AttributeChange.MTIME_NOW);
        boolean isMore = change.has(RIGHTS | AttributeChange.SIZE) || isTimeGiven;
        int others = AttributeChange.ATIME | AttributeChange.MTIME | AttributeChange.KILL_PRIVILEGE;
        if (isMore || change.has(others) && inode.attributes().hasFlag(Attributes.IMMUTABLE)) {
            throw refused(inode);
        }
    }

    private static boolean isGiven(AttributeChange change, int time, int now) {
        return change.has(time) && !change.has(now);
    }

    /**
     * The flags of an inode after a change.
     *
     * @throws FsException EINVAL for flags that there are not; EOPNOTSUPP when they mean nothing
     *     for its type; EPERM when others change while it is and stays immutable
     */
    public static int flagsAfter(Inode inode, AttributeChange change) {
        if ((change.flagMask() & ~Attributes.ALL_FLAGS) != 0) {
            throw new FsException(Errno.EINVAL, "flags " + change.flagMask() + " of an inode");
        }
        int before = inode.attributes().flags();
        int after = change.flagsAfter(before);
        FileType type = inode.attributes().type();
        if ((after & Attributes.PROTECTING) != 0
                && type != FileType.FILE
                && type != FileType.DIRECTORY) {
            throw new FsException(
                    Errno.EOPNOTSUPP, "only files and directories are immutable or append-only");
        }
        if ((before & after & Attributes.IMMUTABLE) != 0 && before != after) {
            throw refused(inode);
        }
        return after;
    }
}
