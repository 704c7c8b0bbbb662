package io.cairn.fuse.sys;

import static io.cairn.fuse.sys.RawMemory.putInt;
import static io.cairn.fuse.sys.RawMemory.putLong;

import io.cairn.fs.Attributes;
import io.cairn.fs.FileType;
import io.cairn.fs.Usage;
import io.cairn.os.MountCalls;

/**
 * Numbers and structures of the protocol on {@code /dev/fuse} (linux/fuse.h, version 7). All
 * numbers are in the byte order of the machine.
 *
 * <pre>
 *   reply:      fuse_out_header                 fuse_attr (88 bytes)
 *   +0   +4     +8      +16                     +0  ino   +8  size   +16 blocks
 *   +----+------+-------+------                 +24 atime +32 mtime  +40 ctime (seconds)
 *   | len| error| unique| body                  +48 atime +52 mtime  +56 ctime (nanoseconds)
 *   +----+------+-------+------                 +60 mode  +64 nlink  +68 uid +72 gid
 *                                               +76 rdev  +80 blksize +84 flags
 *   fuse_entry_out (128 bytes)
 *   +0 nodeid +8 generation +16 entry_valid +24 attr_valid +32 entry_valid_nsec
 *   +36 attr_valid_nsec +40 fuse_attr
 *
 *   fuse_attr_out (104 bytes)                   fuse_open_out (16 bytes)
 *   +0 attr_valid +8 attr_valid_nsec +16 attr   +0 fh +8 open_flags +12 unused
 * </pre>
 */
public final class KernelProtocol {
    /** FUSE_ROOT_ID. */
    public static final long ROOT_NODE = 1;

    public static final int OUT_HEADER_BYTES = 16;
    public static final int ENTRY_BYTES = 128;
    public static final int ATTRIBUTES_BYTES = 104;
    public static final int OPEN_BYTES = 16;
    public static final int STATX_BYTES = 288;

    /**
     * The contents of struct statx: the basic attributes, and the time of birth when it is known.
     */
    private static final int STATX_BASIC_STATS = 0x7ff;

    private static final int STATX_BTIME = 0x800;

    /** STATX_ATTR_IMMUTABLE and those after it are numbered as the flags of chattr(1). */
    private static final int STATX_ATTRIBUTES = 0x70;

    private static final long NS_PER_S = 1_000_000_000L;

    private KernelProtocol() {}

    private static void putAttributes(long at, Attributes a) {
        putLong(at, a.ino());
        putLong(at + 8, a.size());
        putLong(at + 16, a.blocks());
        putLong(at + 24, Math.floorDiv(a.atimeNs(), NS_PER_S));
        putLong(at + 32, Math.floorDiv(a.mtimeNs(), NS_PER_S));
        putLong(at + 40, Math.floorDiv(a.ctimeNs(), NS_PER_S));
        putInt(at + 48, (int) Math.floorMod(a.atimeNs(), NS_PER_S));
        putInt(at + 52, (int) Math.floorMod(a.mtimeNs(), NS_PER_S));
        putInt(at + 56, (int) Math.floorMod(a.ctimeNs(), NS_PER_S));
        putInt(at + 60, a.fullMode());
        putInt(at + 64, a.shownLinks());
        putInt(at + 68, a.uid());
        putInt(at + 72, a.gid());
        putInt(at + 76, (int) a.rdev());
        putInt(at + 80, StatLayout.BLOCK_BYTES);
        putInt(at + 84, 0);
    }

    /** Fills a fuse_attr_out. */
    public static void putAttributesOut(long at, Attributes attributes, long validMs) {
        putLong(at, validMs / 1000);
        putInt(at + 8, (int) (validMs % 1000) * 1_000_000);
        putInt(at + 12, 0);
        putAttributes(at + 16, attributes);
    }

    /**
     * Fills a fuse_statx_out.
     *
     * <pre>
     *   +0 attr_valid +8 attr_valid_nsec +12 flags +16 spare (16), then fuse_statx:
     *   +0 mask +4 blksize +8 attributes +16 nlink +20 uid +24 gid +28 mode (2) +32 ino +40 size
     *   +48 blocks +56 attributes_mask +64 atime +80 btime +96 ctime +112 mtime (seconds 8, ns 4)
     *   +128 rdev_major +132 rdev_minor +136 dev_major +140 dev_minor, spare up to +256
     * </pre>
     */
    public static void putStatx(long at, Attributes a, long validMs) {
        RawMemory.zero(at, STATX_BYTES);
        putLong(at, validMs / 1000);
        putInt(at + 8, (int) (validMs % 1000) * 1_000_000);
        long stat = at + 32;
        putInt(stat, a.birthNs() == 0 ? STATX_BASIC_STATS : STATX_BASIC_STATS | STATX_BTIME);
        putInt(stat + 4, StatLayout.BLOCK_BYTES);
        putLong(stat + 8, InodeFlags.ofAttributes(a.flags()) & STATX_ATTRIBUTES);
        putInt(stat + 16, a.shownLinks());
        putInt(stat + 20, a.uid());
        putInt(stat + 24, a.gid());
        RawMemory.putShort(stat + 28, a.fullMode());
        putLong(stat + 32, a.ino());
        putLong(stat + 40, a.size());
        putLong(stat + 48, a.blocks());
        putLong(stat + 56, STATX_ATTRIBUTES);
        putTime(stat + 64, a.atimeNs());
        putTime(stat + 80, a.birthNs());
        putTime(stat + 96, a.ctimeNs());
        putTime(stat + 112, a.mtimeNs());
        // The kernel keeps 12 bits of the major number and 20 of the minor one.
        putInt(stat + 128, (int) (a.rdev() >>> 8 & 0xfff));
        putInt(stat + 132, (int) (a.rdev() & 0xff | a.rdev() >>> 12 & 0xfff00));
    }

    private static void putTime(long at, long timeNs) {
        putLong(at, Math.floorDiv(timeNs, NS_PER_S));
        putInt(at + 8, (int) Math.floorMod(timeNs, NS_PER_S));
    }

    /** Fills a fuse_entry_out: the node number is the inode number. */
    public static void putEntry(long at, Attributes attributes, long entryValidMs, long validMs) {
        putLong(at, attributes.ino());
        putLong(at + 8, attributes.generation());
        putLong(at + 16, entryValidMs / 1000);
        putLong(at + 24, validMs / 1000);
        putInt(at + 32, (int) (entryValidMs % 1000) * 1_000_000);
        putInt(at + 36, (int) (validMs % 1000) * 1_000_000);
        putAttributes(at + 40, attributes);
    }

    /** Makes a fuse_entry_out that of the root of the mount, which has a number of its own. */
    public static void putRoot(long at) {
        putLong(at, ROOT_NODE);
        putLong(at + 8, 0);
    }

    /** Fills a fuse_open_out. */
    public static void putOpen(long at, long handle, int openFlags) {
        putLong(at, handle);
        putInt(at + 8, openFlags);
        putInt(at + 12, 0);
    }

    /** Length of a fuse_dirent: ino, off, namelen, type, name padded to 8 bytes. */
    public static int direntBytes(int nameLength) {
        return 24 + (nameLength + 7 & ~7);
    }

    /** Fills a fuse_dirent. */
    public static void putDirent(long at, long ino, long offset, FileType type, byte[] name) {
        int padded = name.length + 7 & ~7;
        if (padded > 0) {
            putLong(at + 24 + padded - 8, 0);
        }
        putLong(at, ino);
        putLong(at + 8, offset);
        putInt(at + 16, name.length);
        putInt(at + 20, type.direntType());
        RawMemory.putBytes(at + 24, name);
    }

    /** Fills a fuse_statfs_out; its length. */
    public static int putStatfs(long at, Usage usage) {
        RawMemory.zero(at, 80);
        putLong(at, usage.totalBytes() / StatLayout.BLOCK_BYTES);
        putLong(at + 8, usage.freeBytes() / StatLayout.BLOCK_BYTES);
        putLong(at + 16, usage.availableBytes() / StatLayout.BLOCK_BYTES);
        putLong(at + 24, usage.inodes() + usage.freeInodes());
        putLong(at + 32, usage.freeInodes());
        putInt(at + 40, StatLayout.BLOCK_BYTES);
        putInt(at + 44, 255);
        putInt(at + 48, StatLayout.BLOCK_BYTES);
        return 80;
    }

    /** Puts the header before a body and sends both. */
    public static void send(int fd, long reply, long unique, int error, int bodyBytes) {
        putInt(reply, OUT_HEADER_BYTES + bodyBytes);
        putInt(reply + 4, error);
        putLong(reply + 8, unique);
        // ENOENT: the process that asked is gone; ENODEV: so is the mount. Nobody is left to tell.
        MountCalls.write(fd, reply, OUT_HEADER_BYTES + bodyBytes);
    }
}
