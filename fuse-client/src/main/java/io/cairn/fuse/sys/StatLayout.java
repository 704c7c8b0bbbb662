package io.cairn.fuse.sys;

import static io.cairn.fuse.sys.RawMemory.putInt;
import static io.cairn.fuse.sys.RawMemory.putLong;

import io.cairn.fs.Attributes;
import io.cairn.fs.FileType;
import io.cairn.fs.Usage;

/** The structures of the C library that libfuse 2 wants filled; x86_64 and arm64 differ in one. */
public final class StatLayout {
    /** Size of struct stat, enough for both machines. */
    public static final int STAT_BYTES = 144;

    /** The block size that {@code stat} and {@code statfs} report. */
    static final int BLOCK_BYTES = 4096;

    private static final long NS_PER_S = 1_000_000_000L;
    private static final boolean ARM = "aarch64".equals(System.getProperty("os.arch"));

    private StatLayout() {}

    /**
     * Fills a zeroed {@code struct stat}.
     *
     * <pre>
     *   x86_64  ino +8  nlink +16 (8 bytes)  mode +24  uid +28  gid +32  rdev +40  size +48
     *   arm64   ino +8  mode +16  nlink +20 (4 bytes)  uid +24  gid +28  rdev +32  size +48
     *   both    blksize +56  blocks +64  atime +72  mtime +88  ctime +104
     * </pre>
     */
    public static void putStat(long at, Attributes a) {
        putLong(at + 8, a.ino());
        if (ARM) {
            putInt(at + 16, a.fullMode());
            putInt(at + 20, a.shownLinks());
            putInt(at + 24, a.uid());
            putInt(at + 28, a.gid());
            putLong(at + 32, a.rdev());
        } else {
            putLong(at + 16, a.shownLinks());
            putInt(at + 24, a.fullMode());
            putInt(at + 28, a.uid());
            putInt(at + 32, a.gid());
            putLong(at + 40, a.rdev());
        }
        putLong(at + 48, a.size());
        putLong(at + 56, BLOCK_BYTES);
        putLong(at + 64, a.blocks());
        putTime(at + 72, a.atimeNs());
        putTime(at + 88, a.mtimeNs());
        putTime(at + 104, a.ctimeNs());
    }

    /** Fills what a directory entry needs of a zeroed {@code struct stat}. */
    public static void putType(long at, long ino, FileType type) {
        putLong(at + 8, ino);
        putInt(at + (ARM ? 16 : 24), type.modeBits());
    }

    private static void putTime(long at, long ns) {
        putLong(at, Math.floorDiv(ns, NS_PER_S));
        putLong(at + 8, Math.floorMod(ns, NS_PER_S));
    }

    /** Nanoseconds since the epoch; times beyond the year 2262 become the last there is. */
    public static long timeNs(long seconds, long nanoseconds) {
        if (seconds > Long.MAX_VALUE / NS_PER_S - 1) {
            return Long.MAX_VALUE;
        }
        if (seconds < Long.MIN_VALUE / NS_PER_S + 1) {
            return Long.MIN_VALUE;
        }
        return seconds * NS_PER_S + nanoseconds;
    }

    /**
     * Fills a zeroed {@code struct statvfs}.
     *
     * <pre>
     *   bsize +0  frsize +8  blocks +16  bfree +24  bavail +32  files +40  ffree +48  favail +56
     *   fsid +64  flag +72  namemax +80
     * </pre>
     */
    public static void putStatvfs(long at, Usage usage) {
        putLong(at, BLOCK_BYTES);
        putLong(at + 8, BLOCK_BYTES);
        putLong(at + 16, usage.totalBytes() / BLOCK_BYTES);
        putLong(at + 24, usage.freeBytes() / BLOCK_BYTES);
        putLong(at + 32, usage.availableBytes() / BLOCK_BYTES);
        putLong(at + 40, usage.inodes() + usage.freeInodes());
        putLong(at + 48, usage.freeInodes());
        putLong(at + 56, usage.freeInodes());
        putLong(at + 80, 255);
    }
}
