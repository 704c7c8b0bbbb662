package io.cairn.metadata.trash;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.fs.TrashPlace;
import io.cairn.metadata.classes.ClassTable;
import io.cairn.metadata.inode.DirectoryTable;
import io.cairn.metadata.inode.InodeDraft;
import io.cairn.metadata.inode.InodeTable;
import io.cairn.metadata.state.Store;
import io.cairn.metadata.state.Transaction;
import io.cairn.metadata.trash.TrashDirectories.Place;

/**
 * Takes names from inodes, and puts those that lose the last one into the trash where their
 * directory keeps what goes. Also refuses what cannot be done in the trash. Belongs to the apply
 * thread.
 */
public final class TrashBin {
    /** A directory of the trash that became empty goes so much later: its user may be in it. */
    private static final long EMPTY_NS = 10_000_000_000L;

    private static final long NS_PER_SECOND = 1_000_000_000L;

    private final Transaction transaction;
    private final InodeTable inodes;
    private final TrashTable table;
    private final TrashRetention retention;
    private final TrashDirectories places;

    public TrashBin(
            Store store,
            Transaction transaction,
            InodeTable inodes,
            DirectoryTable directories,
            ClassTable classes) {
        this.transaction = transaction;
        this.inodes = inodes;
        table = new TrashTable(transaction);
        retention = new TrashRetention(store, transaction, inodes, classes);
        places = new TrashDirectories(transaction, inodes, directories, table);
    }

    TrashTable table() {
        return table;
    }

    TrashRetention retention() {
        return retention;
    }

    TrashDirectories places() {
        return places;
    }

    /** Fails with EROFS when a name is to be made in the trash. */
    public static void requireOutside(long directoryIno) {
        if (TrashPlace.isDirectory(directoryIno)) {
            throw new FsException(
                    Errno.EROFS,
                    "nothing can be made or changed in the trash: move files out of it instead");
        }
    }

    /** Fails with EPERM when a name is that of the trash itself. */
    public static void requireOther(long parentIno, Name name) {
        if (TrashPlace.isItself(parentIno, name)) {
            throw new FsException(
                    Errno.EPERM, "'" + name + "' in the root directory is the trash itself");
        }
    }

    /** Whether an inode has its only name in the trash. */
    public static boolean isTrashed(Inode inode) {
        return TrashPlace.isDirectory(inode.parentIno()) && inode.attributes().nlink() > 0;
    }

    /**
     * An inode loses a name. The caller removes the dentry, and changes the directory.
     *
     * @return the inode as it is then: in the trash, an orphan, or with its other names
     */
    public Inode remove(Inode inode, long parentIno, Name name) {
        if (inode.attributes().isDirectory()) {
            return removeDirectory(inode, parentIno, name);
        }
        if (TrashPlace.isDirectory(parentIno)) {
            table.remove(inode.ino());
            return inodes.unlink(inode, parentIno, name);
        }
        long keptS = inode.attributes().nlink() == 1 ? retention.of(parentIno) : 0;
        Place place = keptS == 0 ? null : places.of(parentIno);
        byte[] path = place == null ? null : TrashDirectories.join(place.path(), name);
        if (place == null || path == null || path.length > TrashDirectories.MAX_PATH_BYTES) {
            if (place != null) {
                places.prune(place.ino()); // made for nothing
            }
            return inodes.unlink(inode, parentIno, name);
        }
        return keep(inode, name, place, recordOf(inode, keptS, path));
    }

    private TrashRecord recordOf(Inode inode, long keptS, byte[] path) {
        long storedBytes =
                inode.layout() == null || inode.inline() != null
                        ? 0
                        : inode.attributes().usedBytes();
        long nowNs = transaction.nowNs();
        return new TrashRecord(
                inode.ino(),
                nowNs,
                nowNs + keptS * NS_PER_SECOND,
                storedBytes,
                path,
                inode.attributes());
    }

    private Inode keep(Inode inode, Name name, Place place, TrashRecord record) {
        InodeDraft draft = new InodeDraft(inode);
        draft.leaveHome();
        draft.ctimeNs = transaction.nowNs();
        if (draft.type != FileType.SYMLINK) {
            draft.closeToOthers();
        }
        places.enter(place.ino(), places.free(place.ino(), name, inode.ino()), draft);
        table.put(record);
        return inodes.require(inode.ino());
    }

    private Inode removeDirectory(Inode directory, long parentIno, Name name) {
        if (TrashPlace.isDirectory(directory.ino())) {
            table.remove(directory.ino());
            places.forgetPaths();
        } else {
            long keptS = retention.of(parentIno);
            Place place = keptS == 0 ? null : places.of(directory.ino());
            if (place != null) {
                places.refresh(place, directory);
                TrashRecord record = recordOf(directory, keptS, place.path());
                table.put(
                        new TrashRecord(
                                place.ino(),
                                record.deletedNs(),
                                record.expiresNs(),
                                0,
                                place.path(),
                                directory.attributes()));
            }
            retention.forget(directory.ino());
            places.forget(directory.ino());
        }
        return inodes.unlink(directory, parentIno, name);
    }

    /** A file is moved out of the trash: it gets the rights that it had. */
    public void takeBack(InodeDraft file) {
        TrashRecord record = table.find(file.ino);
        if (record != null) {
            file.takeRights(record.before());
            table.remove(file.ino);
        }
    }

    /**
     * A directory has lost a name by its user: one of the trash goes soon when it is empty. Others
     * stay as they are.
     */
    public void left(Inode directory) {
        if (!TrashPlace.isDirectory(directory.ino())) {
            return;
        }
        places.forgetPaths();
        if (directory.ino() == TrashPlace.INO || directory.entryCount() > 0) {
            return;
        }
        TrashRecord record = table.find(directory.ino());
        if (record != null && record.expiresNs() == 0) {
            table.put(record.expiring(0, transaction.nowNs() + EMPTY_NS));
        }
    }

    /** A directory has another place: what lies below it has other paths. */
    public void moved(FileType type) {
        if (type == FileType.DIRECTORY) {
            places.forgetPaths();
        }
    }
}
