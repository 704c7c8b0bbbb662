package io.cairn.fuse.sys;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Attributes;

/**
 * The flags of inodes as programs ask for them: the word of FS_IOC_GETFLAGS, and that of
 * FS_IOC_FSGETXATTR (linux/fs.h). Pure functions.
 */
public final class InodeFlags {
    /** A flag here and its numbers there. */
    private enum Flag {
        IMMUTABLE(Attributes.IMMUTABLE, 0x10, 0x8),
        APPEND(Attributes.APPEND, 0x20, 0x10),
        NODUMP(Attributes.NODUMP, 0x40, 0x80),
        NOATIME(Attributes.NOATIME, 0x80, 0x40);

        private final int ours;
        private final int word;
        private final int extended;

        Flag(int ours, int word, int extended) {
            this.ours = ours;
            this.word = word;
            this.extended = extended;
        }
    }

    private InodeFlags() {}

    /** FS_IMMUTABLE_FL and others for {@link Attributes#flags}. */
    public static int ofAttributes(int flags) {
        int word = 0;
        for (Flag flag : Flag.values()) {
            word |= (flags & flag.ours) == 0 ? 0 : flag.word;
        }
        return word;
    }

    /** FS_XFLAG_IMMUTABLE and others for {@link Attributes#flags}. */
    public static int extendedOf(int flags) {
        int word = 0;
        for (Flag flag : Flag.values()) {
            word |= (flags & flag.ours) == 0 ? 0 : flag.extended;
        }
        return word;
    }

    /** {@link Attributes#flags} of a word; EOPNOTSUPP when it has others, as on ext4. */
    public static int toAttributes(int word) {
        int flags = 0;
        int left = word;
        for (Flag flag : Flag.values()) {
            flags |= (word & flag.word) == 0 ? 0 : flag.ours;
            left &= ~flag.word;
        }
        return requireNone(left, flags);
    }

    /** {@link Attributes#flags} of an extended word; EOPNOTSUPP when it has others. */
    public static int fromExtended(int word) {
        int flags = 0;
        int left = word;
        for (Flag flag : Flag.values()) {
            flags |= (word & flag.extended) == 0 ? 0 : flag.ours;
            left &= ~flag.extended;
        }
        return requireNone(left, flags);
    }

    private static int requireNone(int left, int flags) {
        if (left != 0) {
            throw new FsException(
                    Errno.EOPNOTSUPP, "flags 0x" + Integer.toHexString(left) + " of an inode");
        }
        return flags;
    }
}
