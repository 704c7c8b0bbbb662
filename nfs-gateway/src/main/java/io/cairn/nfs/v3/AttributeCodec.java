package io.cairn.nfs.v3;

import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.nfs.rpc.XdrReader;
import io.cairn.nfs.rpc.XdrWriter;
import org.jspecify.annotations.Nullable;

/** The attributes of RFC 1813: {@code fattr3}, {@code sattr3}, {@code ftype3} (2.5, 2.6). */
final class AttributeCodec {
    /** Encoded length of {@code fattr3} in bytes. */
    static final int FATTR_BYTES = 84;

    private static final int NANOS = 1_000_000_000;
    private static final int MODE_BITS = 07777;
    private static final int SET_TO_SERVER_TIME = 1;
    private static final int SET_TO_CLIENT_TIME = 2;

    private AttributeCodec() {}

    /** The {@code ftype3} of a type. */
    static int code(FileType type) {
        return switch (type) {
            case FILE -> 1;
            case DIRECTORY -> 2;
            case BLOCK_DEVICE -> 3;
            case CHARACTER_DEVICE -> 4;
            case SYMLINK -> 5;
            case SOCKET -> 6;
            case FIFO -> 7;
        };
    }

    /** The type of a {@code ftype3}, or null. */
    static @Nullable FileType type(int code) {
        for (FileType type : FileType.values()) {
            if (code(type) == code) {
                return type;
            }
        }
        return null;
    }

    static void write(XdrWriter out, Attributes a, long filesystem) {
        out.i32(code(a.type())).i32(a.mode()).i32(a.shownLinks()).i32(a.uid()).i32(a.gid());
        out.i64(a.size()).i64(a.usedBytes());
        out.i32(major(a.rdev())).i32(minor(a.rdev()));
        out.i64(filesystem).i64(a.ino());
        time(out, a.atimeNs());
        time(out, a.mtimeNs());
        time(out, a.ctimeNs());
    }

    /** A {@code nfstime3}: seconds and nanoseconds, 32 bits each. */
    static void time(XdrWriter out, long ns) {
        out.i32((int) Math.floorDiv(ns, NANOS)).i32((int) Math.floorMod(ns, (long) NANOS));
    }

    private static int major(long rdev) {
        return (int) (((rdev >>> 32) & 0xfffff000L) | ((rdev >>> 8) & 0xfffL));
    }

    private static int minor(long rdev) {
        return (int) (((rdev >>> 12) & 0xffffff00L) | (rdev & 0xffL));
    }

    /** A device number in the 64-bit Linux encoding. */
    static long device(int major, int minor) {
        return ((major & 0xfffff000L) << 32)
                | ((major & 0xfffL) << 8)
                | ((minor & 0xffffff00L) << 12)
                | (minor & 0xffL);
    }

    /** A {@code nfstime3} in nanoseconds; INVAL for a second of too many nanoseconds. */
    static long time(XdrReader in) {
        long seconds = in.u32();
        long nanos = in.u32();
        return nanos >= NANOS ? Long.MIN_VALUE : seconds * NANOS + nanos;
    }

    /** Reads {@code sattr3}; an enumeration out of range is malformed. */
    static AttributeChange change(XdrReader in) {
        AttributeChange change = AttributeChange.NONE;
        if (in.bool()) {
            change = change.withMode(in.i32() & MODE_BITS);
        }
        if (in.bool()) {
            change = change.withUid(in.i32());
        }
        if (in.bool()) {
            change = change.withGid(in.i32());
        }
        if (in.bool()) {
            change = change.withSize(in.i64());
        }
        int atime = in.choice(SET_TO_CLIENT_TIME);
        if (atime == SET_TO_CLIENT_TIME) {
            change = change.withAtime(time(in));
        } else if (atime == SET_TO_SERVER_TIME) {
            change = change.withBits(AttributeChange.ATIME | AttributeChange.ATIME_NOW);
        }
        int mtime = in.choice(SET_TO_CLIENT_TIME);
        if (mtime == SET_TO_CLIENT_TIME) {
            change = change.withMtime(time(in));
        } else if (mtime == SET_TO_SERVER_TIME) {
            change = change.withBits(AttributeChange.MTIME | AttributeChange.MTIME_NOW);
        }
        return change;
    }

    /** INVAL or FBIG for values that no attribute can have. */
    static void require(AttributeChange change) {
        if (change.has(AttributeChange.SIZE)
                && (change.size() < 0 || change.size() > FileSystem.MAX_FILE_BYTES)) {
            throw new NfsException(NfsStatus.FBIG);
        }
        boolean noTime =
                (change.has(AttributeChange.ATIME)
                                && !change.has(AttributeChange.ATIME_NOW)
                                && change.atimeNs() == Long.MIN_VALUE)
                        || (change.has(AttributeChange.MTIME)
                                && !change.has(AttributeChange.MTIME_NOW)
                                && change.mtimeNs() == Long.MIN_VALUE);
        boolean noOwner =
                (change.has(AttributeChange.UID) && change.uid() == -1)
                        || (change.has(AttributeChange.GID) && change.gid() == -1);
        if (noTime || noOwner) {
            throw new NfsException(NfsStatus.INVAL);
        }
    }
}
