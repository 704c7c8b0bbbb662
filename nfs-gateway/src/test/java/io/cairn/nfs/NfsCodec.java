package io.cairn.nfs;

import io.cairn.fs.Acls;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.AttributeStamp;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileType;
import io.cairn.nfs.rpc.XdrReader;
import io.cairn.nfs.rpc.XdrWriter;
import io.cairn.testkit.posix.Posix;
import org.jspecify.annotations.Nullable;

/** The types of RFC 1813 from the client's side, written apart from the server's. */
final class NfsCodec {
    private static final FileType[] TYPES = {
        FileType.FILE,
        FileType.DIRECTORY,
        FileType.BLOCK_DEVICE,
        FileType.CHARACTER_DEVICE,
        FileType.SYMLINK,
        FileType.SOCKET,
        FileType.FIFO
    };

    private NfsCodec() {}

    static int code(FileType type) {
        for (int i = 0; i < TYPES.length; i++) {
            if (TYPES[i] == type) {
                return i + 1;
            }
        }
        throw new AssertionError(type);
    }

    static Attributes attributes(XdrReader in) {
        FileType type = TYPES[in.i32() - 1];
        int mode = in.i32();
        int nlink = in.i32();
        int uid = in.i32();
        int gid = in.i32();
        long size = in.i64();
        long used = in.i64();
        long rdev = Posix.device(in.i32(), in.i32());
        in.i64();
        long ino = in.i64();
        return new Attributes(
                ino, 1, type, mode, nlink, uid, gid, rdev, size, used, time(in), time(in), time(in),
                0, Acls.NONE, 0, 0);
    }

    static void device(XdrWriter out, long rdev) {
        out.i32((int) (((rdev >>> 32) & 0xfffff000L) | ((rdev >>> 8) & 0xfffL)));
        out.i32((int) (((rdev >>> 12) & 0xffffff00L) | (rdev & 0xffL)));
    }

    private static long time(XdrReader in) {
        return in.u32() * 1_000_000_000L + in.u32();
    }

    static void time(XdrWriter out, long ns) {
        out.i32((int) Math.floorDiv(ns, 1_000_000_000L));
        out.i32((int) Math.floorMod(ns, 1_000_000_000L));
    }

    static void change(XdrWriter out, AttributeChange change) {
        optional(out, change.has(AttributeChange.MODE), change.mode());
        optional(out, change.has(AttributeChange.UID), change.uid());
        optional(out, change.has(AttributeChange.GID), change.gid());
        out.bool(change.has(AttributeChange.SIZE));
        if (change.has(AttributeChange.SIZE)) {
            out.i64(change.size());
        }
        time(out, change, AttributeChange.ATIME, AttributeChange.ATIME_NOW, change.atimeNs());
        time(out, change, AttributeChange.MTIME, AttributeChange.MTIME_NOW, change.mtimeNs());
    }

    private static void optional(XdrWriter out, boolean there, int value) {
        out.bool(there);
        if (there) {
            out.i32(value);
        }
    }

    private static void time(XdrWriter out, AttributeChange change, int bit, int now, long ns) {
        if (!change.has(bit)) {
            out.i32(0);
        } else if (change.has(now)) {
            out.i32(1);
        } else {
            time(out.i32(2), ns);
        }
    }

    static @Nullable Attributes postOp(XdrReader in) {
        return in.bool() ? attributes(in) : null;
    }

    /** Reads {@code wcc_data}; the inode number of what was before is that of what is after. */
    static WccClient.Wcc wccData(XdrReader in) {
        long[] before = in.bool() ? new long[] {in.i64(), time(in), time(in)} : new long[0];
        Attributes after = postOp(in);
        if (before.length == 0) {
            return new WccClient.Wcc(null, after);
        }
        long ino = after == null ? 0 : after.ino();
        return new WccClient.Wcc(new AttributeStamp(ino, before[0], before[1], before[2]), after);
    }

    static Attributes wcc(XdrReader in) {
        if (in.bool()) {
            in.i64();
            time(in);
            time(in);
        }
        return required(postOp(in));
    }

    static Attributes required(@Nullable Attributes attributes) {
        if (attributes == null) {
            throw new AssertionError("no attributes");
        }
        return attributes;
    }
}
