package io.cairn.metadata.inode;

import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.RecordWriter;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Transaction;
import java.util.List;

/**
 * From an inode to its names. Each one tells the directory of its first name, its <em>home</em>;
 * what has further names has a record for each of these. When the name at home goes, the first of
 * the others takes its place. Belongs to the apply thread.
 */
public final class LinkTable {
    private final Transaction transaction;

    LinkTable(Transaction transaction) {
        this.transaction = transaction;
    }

    /** An inode gets a name; its count of links does not tell yet. */
    public void named(InodeDraft inode, long parentIno, Name name) {
        if (inode.parentIno == 0) {
            settle(inode, parentIno, name.cookie());
        } else {
            put(Keys.link(inode.ino, parentIno, name));
        }
    }

    /** An inode loses a name; its count of links does not tell yet. */
    void unnamed(InodeDraft inode, long parentIno, Name name) {
        if (inode.type == FileType.DIRECTORY) {
            return; // whoever is in it may still go up
        }
        byte[] further = Keys.link(inode.ino, parentIno, name);
        if (inode.nlink == 1) {
            settle(inode, 0, 0);
        } else if (transaction.get(Family.LINK, further) != null) {
            transaction.records().delete(Family.LINK, further);
        } else {
            byte[] all = Keys.of(inode.ino);
            List<Transaction.Entry> others = transaction.page(Family.LINK, all, all, 1);
            if (others.isEmpty()) {
                throw new IllegalStateException("I11 inode " + inode.ino + " lacks a further name");
            }
            byte[] next = others.getFirst().key();
            byte[] dentry = Keys.dentryOf(next);
            transaction.records().delete(Family.LINK, next);
            settle(inode, Keys.numberAt(dentry, 0), Keys.numberAt(dentry, 8));
        }
    }

    /** An inode has another name in place of one. */
    public void renamed(
            InodeDraft inode, long parentIno, Name name, long newParentIno, Name newName) {
        boolean hasSeveral = inode.nlink > 1 && inode.type != FileType.DIRECTORY;
        byte[] further = Keys.link(inode.ino, parentIno, name);
        if (hasSeveral && transaction.get(Family.LINK, further) != null) {
            transaction.records().delete(Family.LINK, further);
            put(Keys.link(inode.ino, newParentIno, newName));
        } else {
            settle(inode, newParentIno, newName.cookie());
        }
    }

    private void put(byte[] key) {
        RecordWriter records = transaction.records();
        records.put(Family.LINK, key, records.begin(0).toBytes());
    }

    private static void settle(InodeDraft inode, long parentIno, long cookie) {
        inode.parentIno = parentIno;
        inode.nameCookie = cookie;
    }
}
