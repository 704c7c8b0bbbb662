package io.cairn.cluster;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Attributes;
import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.Name;

/**
 * The numbers of inodes as snapshots show them. They differ from those of the living inodes, so
 * that nobody takes a file and its past for one file:
 *
 * <pre>
 * | 0 | snapshot 15 bits | number of the living inode 48 bits |
 * </pre>
 *
 * <p>0 stands for the present, 1 for the trash, and {@value #LIST} for the list of the snapshots of
 * a directory: the virtual directory {@code .snapshots} in it. Stateless; for any thread.
 */
public final class PastInode {
    /** The name of the virtual directory with the snapshots of a directory. */
    public static final Name DIRECTORY = Name.of(".snapshots");

    /** The smallest number of a snapshot. */
    public static final int MIN_SNAPSHOT = 2;

    /** The largest number of a snapshot. */
    public static final int MAX_SNAPSHOT = (1 << 15) - 2;

    private static final int LIST = (1 << 15) - 1;
    private static final int SHIFT = 48;
    private static final long LIVING = (1L << SHIFT) - 1;

    private PastInode() {}

    /** The number of a living inode as it is in a snapshot. */
    public static long of(int snapshot, long ino) {
        return ((long) snapshot << SHIFT) | ino;
    }

    /** The number of the list of the snapshots of a directory. */
    public static long list(long directory) {
        return of(LIST, directory);
    }

    /** Whether a number is in a snapshot, or is a list of snapshots: nothing of it changes. */
    public static boolean isPast(long ino) {
        return ino >>> SHIFT >= MIN_SNAPSHOT;
    }

    /** Whether it is a list of snapshots. */
    public static boolean isList(long ino) {
        return snapshotOf(ino) == LIST;
    }

    /** The snapshot; 0 for a living inode. */
    public static int snapshotOf(long ino) {
        return (int) (ino >>> SHIFT);
    }

    /** The number of the living inode. */
    public static long livingOf(long ino) {
        return ino & LIVING;
    }

    /** Fails with EROFS when a number is in a snapshot. */
    public static void requireLiving(long ino) {
        if (isPast(ino)) {
            throw new FsException(
                    Errno.EROFS,
                    "inode %d is in a snapshot, which never changes: copy it to change the copy"
                            .formatted(livingOf(ino)));
        }
    }

    /** Attributes as a snapshot shows them. */
    public static Attributes in(int snapshot, Attributes a) {
        return new Attributes(
                of(snapshot, a.ino()),
                a.generation(),
                a.type(),
                a.mode(),
                a.nlink(),
                a.uid(),
                a.gid(),
                a.rdev(),
                a.size(),
                a.usedBytes(),
                a.atimeNs(),
                a.mtimeNs(),
                a.ctimeNs(),
                a.version(),
                a.acls(),
                a.birthNs(),
                a.flags());
    }

    /** An inode as a snapshot shows it. */
    public static Inode in(int snapshot, Inode inode) {
        Attributes a = inode.attributes();
        return new Inode(
                in(snapshot, a),
                inode.parentIno() == 0 ? 0 : of(snapshot, inode.parentIno()),
                inode.nameCookie(),
                inode.policy(),
                inode.layout(),
                inode.inline(),
                inode.entryCount(),
                inode.exclusiveVerifier(),
                inode.nameChanges());
    }

    /** A directory with another one above it. */
    public static Inode below(long parentIno, Inode inode) {
        return new Inode(
                inode.attributes(),
                parentIno,
                0,
                inode.policy(),
                inode.layout(),
                inode.inline(),
                inode.entryCount(),
                inode.exclusiveVerifier(),
                inode.nameChanges());
    }

    /** An entry of a directory as a snapshot shows it. */
    public static DirectoryEntry in(int snapshot, DirectoryEntry entry) {
        Attributes a = entry.attributes();
        return new DirectoryEntry(
                entry.name(),
                entry.cookie(),
                of(snapshot, entry.ino()),
                entry.type(),
                a == null ? null : in(snapshot, a));
    }
}
