package io.cairn.metadata.inode;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.cluster.PastInode;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.fs.TrashPlace;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.RecordWriter;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Transaction;
import io.cairn.wire.Decoder;
import org.jspecify.annotations.Nullable;

/** The names in directories. Belongs to the apply thread. */
public final class DirectoryTable {
    /** The inode of a name. */
    public record Dentry(long ino, FileType type) {
        public boolean isDirectory() {
            return type == FileType.DIRECTORY;
        }

        /** Reads the value of a dentry. */
        public static Dentry decode(byte[] value) {
            Decoder in = Keys.openOfTree(Family.DENTRY, value);
            int code = in.u8();
            FileType type = FileType.CODES.find(code);
            if (type == null) {
                throw new IllegalStateException("a dentry has the type " + code);
            }
            return new Dentry(in.i64(), type);
        }
    }

    private final Transaction transaction;

    public DirectoryTable(Transaction transaction) {
        this.transaction = transaction;
    }

    /** The inode of a name in a directory, or null. */
    public @Nullable Dentry find(long parentIno, Name name) {
        if (TrashPlace.isItself(parentIno, name)) {
            return new Dentry(TrashPlace.INO, FileType.DIRECTORY);
        }
        byte[] value = transaction.get(Family.DENTRY, Keys.dentry(parentIno, name));
        return value == null ? null : Dentry.decode(value);
    }

    /**
     * The name of an inode at its home.
     *
     * @throws IllegalStateException when it has none there
     */
    public Name nameOf(Inode inode) {
        byte[] home = Keys.of(inode.parentIno(), inode.nameCookie());
        for (Transaction.Entry entry : transaction.page(Family.DENTRY, home, home, 64)) {
            if (Dentry.decode(entry.value()).ino() == inode.ino()) {
                return Keys.nameOf(entry.key());
            }
        }
        throw new IllegalStateException("I11 inode " + inode.ino() + " has no name at home");
    }

    /** The inode of a name in a directory, or ENOENT. */
    public Dentry require(long parentIno, Name name) {
        Dentry dentry = find(parentIno, name);
        if (dentry == null) {
            requireRemovable(name);
            throw missing(parentIno, name);
        }
        return dentry;
    }

    private static void requireRemovable(Name name) {
        if (name.equals(PastInode.DIRECTORY)) {
            throw new FsException(
                    Errno.EROFS, "'" + name + "' has the snapshots: drop these instead");
        }
    }

    public static FsException missing(long parentIno, Name name) {
        return new FsException(Errno.ENOENT, "no '" + name + "' in directory " + parentIno);
    }

    public static FsException exists(long parentIno, Name name) {
        return new FsException(Errno.EEXIST, "'" + name + "' exists in directory " + parentIno);
    }

    /** Fails with EEXIST when a name is taken. */
    public void requireFree(long parentIno, Name name) {
        requireAllowed(name);
        if (find(parentIno, name) != null) {
            throw exists(parentIno, name);
        }
    }

    /** Fails with EEXIST for the name of the virtual directory that every directory has. */
    public static void requireAllowed(Name name) {
        if (name.equals(PastInode.DIRECTORY)) {
            throw new FsException(
                    Errno.EEXIST, "'" + name + "' is where the snapshots of a directory are");
        }
    }

    /** Sets what a name stands for; the caller keeps the counts of the directory. */
    public void put(long parentIno, Name name, Dentry dentry) {
        RecordWriter records = transaction.records();
        byte[] value = records.begin(9).u8(dentry.type().code()).i64(dentry.ino()).toBytes();
        records.put(Family.DENTRY, Keys.dentry(parentIno, name), value);
    }

    /** Removes a name; the caller keeps the counts of the directory. */
    public void remove(long parentIno, Name name) {
        transaction.records().delete(Family.DENTRY, Keys.dentry(parentIno, name));
    }
}
