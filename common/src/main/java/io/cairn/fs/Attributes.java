package io.cairn.fs;

/**
 * The attributes of an inode, as {@code stat(2)} returns them. Immutable.
 *
 * @param ino inode number, unique for ever
 * @param generation changes when an inode number would be reused (never, in version 1): 1
 * @param type the file type
 * @param mode permission bits incl. setuid, setgid, sticky: 0..07777, without the type
 * @param nlink number of links; 0 for an open file without a name; of a directory its
 *     sub-directories and 2, see {@link #shownLinks}
 * @param uid owner
 * @param gid group
 * @param rdev device number of character and block devices in the 64-bit Linux encoding, else 0
 * @param size length in bytes (a symlink: of its target)
 * @param usedBytes bytes counted as used by the contents; st_blocks is this / 512 rounded up
 * @param atimeNs last access, nanoseconds since the epoch
 * @param mtimeNs last change of the contents
 * @param ctimeNs last change of the inode
 * @param version grows with every change of the inode, and no two changes share a value; made of
 *     the number of the log entry (upper 48 bits) and the place in it. A change counter
 * @param acls access control lists beyond the mode; mostly {@link Acls#NONE}
 * @param birthNs when the inode was made, for ever the same; 0 when nobody has told it
 * @param flags or of {@link #IMMUTABLE}, {@link #APPEND}, {@link #NODUMP}, {@link #NOATIME}: what
 *     chattr(1) sets
 */
public record Attributes(
        long ino,
        int generation,
        FileType type,
        int mode,
        int nlink,
        int uid,
        int gid,
        long rdev,
        long size,
        long usedBytes,
        long atimeNs,
        long mtimeNs,
        long ctimeNs,
        long version,
        Acls acls,
        long birthNs,
        int flags) {

    /** Nothing of the inode changes, no name of a directory either: {@code chattr +i}. */
    public static final int IMMUTABLE = 1;

    /** Contents only grow at the end, names of a directory only come: {@code chattr +a}. */
    public static final int APPEND = 2;

    /** Backups leave it out, if they want: {@code chattr +d}. */
    public static final int NODUMP = 4;

    /** Reading does not set the access time: {@code chattr +A}. */
    public static final int NOATIME = 8;

    /** Those that only root changes. */
    public static final int PROTECTING = IMMUTABLE | APPEND;

    /** Those that new inodes take over from their directory. */
    public static final int INHERITED = NODUMP | NOATIME;

    /** All flags. */
    public static final int ALL_FLAGS = PROTECTING | INHERITED;

    /** The whole {@code st_mode}: type and permission bits. */
    public int fullMode() {
        return type.modeBits() | mode;
    }

    /**
     * {@code st_nlink}: of a directory with more than {@link FileSystem#MAX_LINKS} links 1, which
     * tells that they are not counted, as ext4 and btrfs do.
     */
    public int shownLinks() {
        return isDirectory() && nlink > FileSystem.MAX_LINKS ? 1 : nlink;
    }

    /** {@code st_blocks}: used bytes in units of 512, rounded up. */
    public long blocks() {
        return (usedBytes + 511) / 512;
    }

    /** Whether one of {@code wanted} flags is set. */
    public boolean hasFlag(int wanted) {
        return (flags & wanted) != 0;
    }

    /** Whether this is a directory. */
    public boolean isDirectory() {
        return type == FileType.DIRECTORY;
    }

    /** Whether this is a regular file. */
    public boolean isFile() {
        return type == FileType.FILE;
    }

    /**
     * The same of a directory whose names were changed after what this tells. When exactly is not
     * known: the times are the first that they can be, so that they never go back.
     *
     * @param changes how many, from 1
     */
    public Attributes withNamesChanged(int changes) {
        return withContents(size, usedBytes, mtimeNs + changes);
    }

    /** The same with another size, used bytes and mtime, as a client knows them before masters. */
    public Attributes withContents(long newSize, long newUsedBytes, long newMtimeNs) {
        return new Attributes(
                ino,
                generation,
                type,
                mode,
                nlink,
                uid,
                gid,
                rdev,
                newSize,
                newUsedBytes,
                atimeNs,
                newMtimeNs,
                Math.max(ctimeNs, newMtimeNs),
                version,
                acls,
                birthNs,
                flags);
    }
}
