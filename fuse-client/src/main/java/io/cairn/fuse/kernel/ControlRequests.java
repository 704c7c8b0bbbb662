package io.cairn.fuse.kernel;

import static io.cairn.fuse.sys.RawMemory.getInt;
import static io.cairn.fuse.sys.RawMemory.putInt;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fuse.loop.KernelNotices;
import io.cairn.fuse.loop.LoopThread;
import io.cairn.fuse.loop.MountState;
import io.cairn.fuse.sys.InodeFlags;
import io.cairn.fuse.sys.KernelProtocol;
import io.cairn.fuse.sys.RawMemory;

/**
 * ioctl(2) on files and directories: the flags of chattr(1) and lsattr(1), and the generation,
 * which is 0 as no number of an inode is used twice. Others are unknown, which is ENOTTY.
 *
 * <pre>
 *   fuse_ioctl_in   +0 fh +8 flags +12 cmd +16 arg +24 in_size +28 out_size +32 in
 *   fuse_ioctl_out  +0 result +4 flags +8 in_iovs +12 out_iovs +16 out
 *   fsxattr         +0 xflags +4 extsize +8 nextents +12 projid +16 cowextsize, unused to +28
 * </pre>
 */
final class ControlRequests {
    private static final int GET_VERSION = 0x80087601;
    private static final int GET_FLAGS = 0x80086601;
    private static final int SET_FLAGS = 0x40086602;
    private static final int GET_EXTENDED = 0x801c581f;
    private static final int SET_EXTENDED = 0x401c5820;
    private static final int IN_BYTES = 32;
    private static final int OUT_BYTES = 16;
    private static final int EXTENDED_BYTES = 28;

    private final FileSystem fileSystem;
    private final KernelNotices notices;

    ControlRequests(MountState state, KernelNotices notices) {
        this.fileSystem = state.fileSystem();
        this.notices = notices;
    }

    int control(LoopThread thread) {
        long in = thread.arguments();
        return switch (getInt(in + 12)) {
            case GET_VERSION -> getVersion(thread);
            case GET_FLAGS -> getFlags(thread);
            case SET_FLAGS -> {
                requireInput(in, 4);
                yield set(thread, InodeFlags.toAttributes(getInt(in + IN_BYTES)));
            }
            case GET_EXTENDED -> getExtended(thread);
            case SET_EXTENDED -> setExtended(thread);
            default -> throw new FsException(Errno.ENOTTY);
        };
    }

    private Attributes attributes(LoopThread thread) {
        return fileSystem.getAttributes(thread.caller(), thread.node());
    }

    /** Begins the answer; the memory behind it, of which so many bytes are wanted. */
    private static long answer(LoopThread thread, int bytes) {
        long out = thread.reply() + KernelProtocol.OUT_HEADER_BYTES;
        RawMemory.zero(out, OUT_BYTES + bytes);
        return out + OUT_BYTES;
    }

    private static int getVersion(LoopThread thread) {
        answer(thread, 4);
        return OUT_BYTES + 4;
    }

    private int getFlags(LoopThread thread) {
        int flags = InodeFlags.ofAttributes(attributes(thread).flags());
        putInt(answer(thread, 4), flags);
        return OUT_BYTES + 4;
    }

    private int getExtended(LoopThread thread) {
        int flags = InodeFlags.extendedOf(attributes(thread).flags());
        putInt(answer(thread, EXTENDED_BYTES), flags);
        return OUT_BYTES + EXTENDED_BYTES;
    }

    /** Sizes of extents and projects there are not. */
    private int setExtended(LoopThread thread) {
        long in = thread.arguments();
        requireInput(in, EXTENDED_BYTES);
        long wanted = in + IN_BYTES;
        if (getInt(wanted + 4) != 0 || getInt(wanted + 12) != 0 || getInt(wanted + 16) != 0) {
            throw new FsException(Errno.EOPNOTSUPP);
        }
        return set(thread, InodeFlags.fromExtended(getInt(wanted)));
    }

    private static void requireInput(long in, int bytes) {
        if (getInt(in + 24) < bytes) {
            throw new FsException(Errno.EINVAL);
        }
    }

    /** Sets what differs, so that of two who change different flags both are heard. */
    private int set(LoopThread thread, int wanted) {
        Caller caller = thread.caller();
        long ino = thread.node();
        int now = fileSystem.freshAttributes(caller, ino).flags();
        fileSystem.setAttributes(caller, ino, AttributeChange.NONE.withFlags(now ^ wanted, wanted));
        notices.forgetAttributes(ino);
        answer(thread, 0);
        return OUT_BYTES;
    }
}
