package io.cairn.fs;

/**
 * A {@code setattr}: which attributes change, and to what. Fields whose bit is not in {@code mask}
 * are ignored.
 *
 * @param mask or of the constants below
 * @param mode new permission bits, 0..07777
 * @param uid new owner
 * @param gid new group
 * @param size new length in bytes, 0 up to {@link FileSystem#MAX_FILE_BYTES}
 * @param atimeNs new access time, unless {@link #ATIME_NOW}
 * @param mtimeNs new modification time, unless {@link #MTIME_NOW}
 * @param guardCtimeNs with {@link #GUARD}: the only ctime with which the change is made
 * @param flagMask with {@link #FLAGS}: the flags that change, of {@link Attributes#flags}
 * @param flags with {@link #FLAGS}: those of {@code flagMask} that are set; others are cleared
 */
public record AttributeChange(
        int mask,
        int mode,
        int uid,
        int gid,
        long size,
        long atimeNs,
        long mtimeNs,
        long guardCtimeNs,
        int flagMask,
        int flags) {
    public static final int MODE = 1;
    public static final int UID = 2;
    public static final int GID = 4;
    public static final int SIZE = 8;
    public static final int ATIME = 16;
    public static final int MTIME = 32;

    /** With {@link #ATIME}: the time of the master instead of {@code atimeNs}. */
    public static final int ATIME_NOW = 64;

    /** With {@link #MTIME}: the time of the master instead of {@code mtimeNs}. */
    public static final int MTIME_NOW = 128;

    /** Clear setuid, and setgid where group execution is set, as chown(2) and write(2) demand. */
    public static final int KILL_PRIVILEGE = 256;

    /**
     * With {@link #ATIME} alone: a read is noted, as relatime does. atime moves forward only, ctime
     * and version stay; without this bit it is utimensat(2), which sets ctime.
     */
    public static final int KEEP_CTIME = 512;

    /** ECANCELED, and no change, when the ctime is another than {@code guardCtimeNs}. */
    public static final int GUARD = 1024;

    /** Flags of the inode change, as chattr(1) wants it. */
    public static final int FLAGS = 4096;

    /** All defined bits. */
    public static final int ALL = 2047 | FLAGS;

    /** What does not depend on the contents, nor on what the inode was before. */
    private static final int BESIDE_A_WRITE =
            MODE | UID | GID | ATIME | MTIME | ATIME_NOW | MTIME_NOW | KILL_PRIVILEGE;

    /** A change of nothing, to build on. */
    public static final AttributeChange NONE = new AttributeChange(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    /** Whether any bit of {@code bits} is set. */
    public boolean has(int bits) {
        return (mask & bits) != 0;
    }

    /** Whether it may be made together with a write: mode, owner, group and times alone may. */
    public boolean fitsWrite() {
        return (mask & ~BESIDE_A_WRITE) == 0;
    }

    /**
     * The attributes of a file after this change, which {@link #fitsWrite}, as a master makes it.
     *
     * @param nowNs its time
     */
    public Attributes appliedTo(Attributes known, long nowNs) {
        int newMode = has(MODE) ? mode & 07777 : known.mode();
        if (has(KILL_PRIVILEGE)) {
            boolean isGroups = (newMode & 010) != 0;
            newMode &= isGroups ? ~06000 : ~04000;
        }
        long newAtimeNs = has(ATIME_NOW) ? nowNs : atimeNs;
        long newMtimeNs = has(MTIME_NOW) ? nowNs : mtimeNs;
        return new Attributes(
                known.ino(),
                known.generation(),
                known.type(),
                newMode,
                known.nlink(),
                has(UID) ? uid : known.uid(),
                has(GID) ? gid : known.gid(),
                known.rdev(),
                known.size(),
                known.usedBytes(),
                has(ATIME) ? newAtimeNs : known.atimeNs(),
                has(MTIME) ? newMtimeNs : known.mtimeNs(),
                nowNs,
                known.version(),
                known.acls(),
                known.birthNs(),
                known.flags());
    }

    /** Makes mode, owner, group and access time such; the last write has its time. */
    public static AttributeChange toBecome(Attributes wanted) {
        return NONE.withMode(wanted.mode())
                .withUid(wanted.uid())
                .withGid(wanted.gid())
                .withAtime(wanted.atimeNs());
    }

    /** The same with other times and another guard. */
    private AttributeChange with(int newMask, long atime, long mtime, long guard) {
        return new AttributeChange(
                newMask, mode, uid, gid, size, atime, mtime, guard, flagMask, flags);
    }

    /** The same with another mode, owner, group and size. */
    private AttributeChange with(int bit, int newMode, int newUid, int newGid, long newSize) {
        return new AttributeChange(
                mask | bit,
                newMode,
                newUid,
                newGid,
                newSize,
                atimeNs,
                mtimeNs,
                guardCtimeNs,
                flagMask,
                flags);
    }

    public AttributeChange withMode(int newMode) {
        return with(MODE, newMode, uid, gid, size);
    }

    public AttributeChange withUid(int newUid) {
        return with(UID, mode, newUid, gid, size);
    }

    public AttributeChange withGid(int newGid) {
        return with(GID, mode, uid, newGid, size);
    }

    public AttributeChange withSize(long newSize) {
        return with(SIZE, mode, uid, gid, newSize);
    }

    public AttributeChange withAtime(long ns) {
        return with((mask | ATIME) & ~ATIME_NOW, ns, mtimeNs, guardCtimeNs);
    }

    public AttributeChange withMtime(long ns) {
        return with((mask | MTIME) & ~MTIME_NOW, atimeNs, ns, guardCtimeNs);
    }

    /** The same, but only if the ctime is this one. */
    public AttributeChange withGuard(long ctimeNs) {
        return with(mask | GUARD, atimeNs, mtimeNs, ctimeNs);
    }

    /**
     * The same, and the flags of {@code changed} become what they are in {@code wanted}.
     *
     * @param changed or of {@link Attributes#IMMUTABLE} and the like
     */
    public AttributeChange withFlags(int changed, int wanted) {
        return new AttributeChange(
                mask | FLAGS,
                mode,
                uid,
                gid,
                size,
                atimeNs,
                mtimeNs,
                guardCtimeNs,
                changed,
                wanted & changed);
    }

    /** The flags of an inode that has {@code before} after this change. */
    public int flagsAfter(int before) {
        return has(FLAGS) ? before & ~flagMask | flags & flagMask : before;
    }

    /** The same plus flag bits such as {@link #ATIME_NOW} or {@link #KILL_PRIVILEGE}. */
    public AttributeChange withBits(int bits) {
        return with(mask | bits, atimeNs, mtimeNs, guardCtimeNs);
    }

    /** The same without some bits. */
    public AttributeChange without(int bits) {
        boolean keepsFlags = (bits & FLAGS) == 0;
        return new AttributeChange(
                mask & ~bits,
                mode,
                uid,
                gid,
                size,
                atimeNs,
                mtimeNs,
                (bits & GUARD) == 0 ? guardCtimeNs : 0,
                keepsFlags ? flagMask : 0,
                keepsFlags ? flags : 0);
    }
}
