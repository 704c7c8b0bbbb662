package io.cairn.metadata.trash;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Policy.StorageClass;
import io.cairn.fs.FileSystem;
import io.cairn.fs.TrashPlace;
import io.cairn.metadata.classes.ClassTable;
import io.cairn.metadata.inode.InodeTable;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Transaction;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How long directories keep what is removed from them: as they say, else as their class says, else
 * as the next directory above has it, else as it is the standard. Belongs to the apply thread.
 */
final class TrashRetention {
    /** Longest time, in seconds: a hundred years. */
    static final long MAX_S = 100L * 366 * 86_400;

    /** Stands for what no directory says itself. */
    private static final long STANDARD = 0;

    private final Transaction transaction;
    private final InodeTable inodes;
    private final ClassTable classes;
    private final Map<Long, Long> secondsByIno = new HashMap<>();

    TrashRetention(Store store, Transaction transaction, InodeTable inodes, ClassTable classes) {
        this.transaction = transaction;
        this.inodes = inodes;
        this.classes = classes;
        byte[] all = TrashKeys.kept();
        store.scan(
                Family.TRASH,
                all,
                all,
                (key, value) -> {
                    secondsByIno.put(TrashKeys.inoOf(key), Keys.open(Family.TRASH, value).i64());
                    return true;
                });
    }

    /** Seconds for which a directory keeps what is removed from it; 0 when it does not. */
    long of(long directoryIno) {
        boolean isNothingSaid = secondsByIno.isEmpty() && classes.areUnused();
        if (isNothingSaid || TrashPlace.isDirectory(directoryIno)) {
            return 0;
        }
        long at = directoryIno;
        Long seconds = said(at);
        while (seconds == null && at != FileSystem.ROOT_INO) {
            Inode inode = transaction.inode(at);
            if (inode == null || inode.attributes().nlink() == 0) {
                return 0;
            }
            at = inode.parentIno();
            seconds = said(at);
        }
        return seconds != null ? seconds : secondsByIno.getOrDefault(STANDARD, 0L);
    }

    private @Nullable Long said(long ino) {
        Long own = secondsByIno.get(ino);
        StorageClass of = own == null ? classes.at(ino) : null;
        return of != null && of.trashSeconds() >= 0 ? Long.valueOf(of.trashSeconds()) : own;
    }

    /**
     * Sets it for a directory.
     *
     * @param ino the directory; 0 for the standard
     * @param seconds 0 keeps nothing; below 0 the directory says nothing
     * @throws FsException ESTALE, ENOTDIR, EINVAL
     */
    void set(long ino, long seconds) {
        if (seconds > MAX_S) {
            throw new FsException(
                    Errno.EINVAL, "the trash keeps for " + MAX_S + " seconds at most");
        }
        if (TrashPlace.isDirectory(ino)) {
            throw new FsException(Errno.EINVAL, "the trash has no trash of its own");
        }
        if (ino != STANDARD) {
            inodes.directory(ino);
        }
        byte[] key = TrashKeys.kept(ino);
        if (seconds < 0) {
            forget(ino);
            return;
        }
        secondsByIno.put(ino, seconds);
        transaction.records().put(Family.TRASH, key, Keys.value(8).i64(seconds).toBytes());
    }

    /** A directory goes. */
    void forget(long ino) {
        if (secondsByIno.remove(ino) != null) {
            transaction.records().delete(Family.TRASH, TrashKeys.kept(ino));
        }
    }
}
