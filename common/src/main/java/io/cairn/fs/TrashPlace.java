package io.cairn.fs;

/**
 * The place of the trash in the tree: a directory below the root of the filesystem that no listing
 * shows. In it there is a directory for each day, and below that the names as they were when they
 * were removed. All of these directories have inode numbers of a range of their own, so that a
 * number alone tells them. Stateless.
 */
public final class TrashPlace {
    /** The name below the root of the filesystem. */
    public static final Name NAME = Name.of(".trash");

    /** The inode number of the trash itself; those of its directories lie behind. */
    public static final long INO = 1L << 48;

    private static final int SHARD_SHIFT = 48;

    private TrashPlace() {}

    /** The number of a directory in the trash, made of a number that no other inode has. */
    public static long directory(long freshIno) {
        return INO | freshIno;
    }

    /** Whether an inode is the trash or a directory in it. */
    public static boolean isDirectory(long ino) {
        return ino >>> SHARD_SHIFT == 1;
    }

    /** Whether a name in a directory is that of the trash. */
    public static boolean isItself(long parentIno, Name name) {
        return parentIno == FileSystem.ROOT_INO && NAME.equals(name);
    }
}
