package io.cairn.fuse.sys;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Attributes;
import java.util.function.ToIntFunction;

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
        return numbers(flags, flag -> flag.word);
    }

    /** FS_XFLAG_IMMUTABLE and others for {@link Attributes#flags}. */
    public static int extendedOf(int flags) {
        return numbers(flags, flag -> flag.extended);
    }

    /** {@link Attributes#flags} of a word; EOPNOTSUPP when it has others, as on ext4. */
    public static int toAttributes(int word) {
        return flags(word, flag -> flag.word);
    }

    /** {@link Attributes#flags} of an extended word; EOPNOTSUPP when it has others. */
    public static int fromExtended(int word) {
        return flags(word, flag -> flag.extended);
    }

    private static int numbers(int flags, ToIntFunction<Flag> number) {
        int word = 0;
        for (Flag flag : Flag.values()) {
            word |= (flags & flag.ours) == 0 ? 0 : number.applyAsInt(flag);
        }
        return word;
    }

    private static int flags(int word, ToIntFunction<Flag> number) {
        int flags = 0;
        int left = word;
        for (Flag flag : Flag.values()) {
            flags |= (word & number.applyAsInt(flag)) == 0 ? 0 : flag.ours;
            left &= ~number.applyAsInt(flag);
        }
        if (left != 0) {
            throw new FsException(
                    Errno.EOPNOTSUPP, "flags 0x" + Integer.toHexString(left) + " of an inode");
        }
        return flags;
    }
}
