package io.cairn.testkit.posix;

import io.cairn.fs.Attributes;
import io.cairn.fs.FileType;
import io.cairn.fs.Lock;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The structures of Linux that {@link NativePosix} passes, all of which have one layout on x86_64
 * and arm64.
 *
 * <pre>
 * statx      nlink u32 +16 | uid u32 +20 | gid u32 +24 | mode u16 +28 | ino u64 +32 | size u64 +40
 *            blocks u64 +48 | atime s64 +64, u32 +72 | btime +80 | ctime +96 | mtime +112
 *            mask u32 +0, 0x800 when there is a btime
 *            rdev major u32 +128, minor u32 +132
 * timespec   seconds s64 +0 | nanoseconds s64 +8
 * statvfs    bsize u64 +0 | frsize +8 | blocks +16 | bfree +24 | bavail +32 | files +40 | ffree +48
 *            fsid +64 | flag +72 | namemax +80   (favail +56)
 * dirent64   ino u64 +0 | off s64 +8 | reclen u16 +16 | type u8 +18 | name +19
 * flock      type s16 +0 | whence s16 +2 | start s64 +8 | len s64 +16 | pid s32 +24
 * </pre>
 */
final class NativeStructs {
    static final long FS_IOC_GETFLAGS = 0x80086601L;
    static final long FS_IOC_SETFLAGS = 0x40086602L;
    static final int F_SETFL = 4;
    static final int F_GETLK = 5;
    static final int F_SETLK = 6;
    static final int F_SETLKW = 7;
    static final int F_OFD_SETLK = 37;
    static final int F_OFD_SETLKW = 38;

    private static final long SECOND_NS = 1_000_000_000L;
    private static final long UTIME_NOW = 0x3fffffff;
    private static final long UTIME_OMIT = 0x3ffffffe;
    private static final int STATX_BTIME = 0x800;
    private static final int F_RDLCK = 0;
    private static final int F_WRLCK = 1;
    private static final int F_UNLCK = 2;

    /** FS_IMMUTABLE_FL and those after it, which are numbered from here. */
    private static final int FS_IMMUTABLE_FL = 0x10;

    /** In the order of their numbers in linux/fs.h. */
    private static final int[] FLAGS = {
        Attributes.IMMUTABLE, Attributes.APPEND, Attributes.NODUMP, Attributes.NOATIME
    };

    private NativeStructs() {}

    /** {@link Attributes#flags} in the word of FS_IOC_GETFLAGS. */
    static int flags(int word) {
        int flags = 0;
        for (int i = 0; i < FLAGS.length; i++) {
            flags |= (word & FS_IMMUTABLE_FL << i) == 0 ? 0 : FLAGS[i];
        }
        return flags;
    }

    /** The word with these {@link Attributes#flags}; what else it has stays. */
    static int flagWord(int word, int flags) {
        int wanted = word;
        for (int i = 0; i < FLAGS.length; i++) {
            int bit = FS_IMMUTABLE_FL << i;
            wanted = (flags & FLAGS[i]) == 0 ? wanted & ~bit : wanted | bit;
        }
        return wanted;
    }

    private static int i32(MemorySegment s, long at) {
        return s.get(ValueLayout.JAVA_INT_UNALIGNED, at);
    }

    private static long i64(MemorySegment s, long at) {
        return s.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
    }

    private static int u16(MemorySegment s, long at) {
        return Short.toUnsignedInt(s.get(ValueLayout.JAVA_SHORT_UNALIGNED, at));
    }

    static Posix.Stat stat(MemorySegment s) {
        int mode = u16(s, 28);
        FileType type = FileType.ofMode(mode);
        if (type == null) {
            throw new IllegalStateException("mode " + Integer.toOctalString(mode));
        }
        return new Posix.Stat(
                i64(s, 32),
                type,
                mode & 07777,
                i32(s, 16),
                i32(s, 20),
                i32(s, 24),
                Posix.device(i32(s, 128), i32(s, 132)),
                i64(s, 40),
                i64(s, 48),
                time(s, 64),
                time(s, 112),
                time(s, 96),
                (i32(s, 0) & STATX_BTIME) != 0 ? time(s, 80) : 0);
    }

    private static long time(MemorySegment s, long at) {
        return i64(s, at) * SECOND_NS + i32(s, at + 8);
    }

    /** Two timespecs. */
    static byte[] times(long atimeNs, long mtimeNs) {
        ByteBuffer times = ByteBuffer.allocate(32).order(ByteOrder.nativeOrder());
        for (long ns : new long[] {atimeNs, mtimeNs}) {
            if (ns == Posix.UTIME_NOW || ns == Posix.UTIME_OMIT) {
                times.putLong(0).putLong(ns == Posix.UTIME_NOW ? UTIME_NOW : UTIME_OMIT);
            } else {
                times.putLong(Math.floorDiv(ns, SECOND_NS)).putLong(Math.floorMod(ns, SECOND_NS));
            }
        }
        return times.array();
    }

    static Posix.Volume volume(MemorySegment s) {
        return new Posix.Volume(
                i64(s, 8),
                i64(s, 16),
                i64(s, 24),
                i64(s, 32),
                i64(s, 40),
                i64(s, 48),
                (int) i64(s, 80));
    }

    static List<Posix.Entry> entries(MemorySegment s) {
        List<Posix.Entry> entries = new ArrayList<>();
        for (long at = 0; at < s.byteSize(); at += u16(s, at + 16)) {
            String name = s.getString(at + 19, StandardCharsets.ISO_8859_1);
            FileType type = FileType.ofMode(s.get(ValueLayout.JAVA_BYTE, at + 18) << 12);
            entries.add(new Posix.Entry(name, i64(s, at), type, i64(s, at + 8)));
        }
        return entries;
    }

    static byte[] flock(Lock.Mode mode, long start, long length) {
        int type =
                switch (mode) {
                    case SHARED -> F_RDLCK;
                    case EXCLUSIVE -> F_WRLCK;
                    case UNLOCK -> F_UNLCK;
                };
        return ByteBuffer.allocate(32)
                .order(ByteOrder.nativeOrder())
                .putShort(0, (short) type)
                .putLong(8, start)
                .putLong(16, length)
                .array();
    }

    /** The answer of F_GETLK. */
    static @Nullable Lock lock(MemorySegment s) {
        int type = u16(s, 0);
        if (type == F_UNLCK) {
            return null;
        }
        long start = i64(s, 8);
        long length = i64(s, 16);
        return new Lock(
                Lock.Kind.POSIX,
                type == F_RDLCK ? Lock.Mode.SHARED : Lock.Mode.EXCLUSIVE,
                0,
                start,
                length == 0 ? Lock.TO_END : start + length - 1,
                i32(s, 24));
    }
}
