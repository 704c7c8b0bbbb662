package io.cairn.metadata.trash;

import io.cairn.cluster.Inode;
import io.cairn.fs.TrashPlace;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.View;
import java.util.function.Consumer;

/**
 * Checks the trash: each inode in it has a record, each record an inode in the trash and its place
 * in the order of ends, the sums are those of the records. The invariant is called T1.
 */
public final class TrashCheck {
    private final View view;
    private final Consumer<String> violated;
    private long records;
    private long trashed;
    private TrashSums sums = TrashSums.NONE;

    public TrashCheck(View view, Consumer<String> violated) {
        this.view = view;
        this.violated = violated;
    }

    /** Checks an inode; all of them come before the check of records. */
    public void check(Inode inode) {
        boolean isDirectory = inode.attributes().isDirectory();
        boolean isInside =
                isDirectory ? TrashPlace.isDirectory(inode.ino()) : TrashBin.isTrashed(inode);
        if (!isInside || inode.ino() == TrashPlace.INO || inode.attributes().nlink() == 0) {
            return;
        }
        trashed++;
        if (TrashQueries.find(view, inode.ino()) == null) {
            violated.accept("T1 inode " + inode.ino() + " is in the trash without a record");
        }
        if (!TrashPlace.isDirectory(inode.parentIno())) {
            violated.accept("T1 directory " + inode.ino() + " of the trash is outside of it");
        }
    }

    /** Checks all records. */
    public void check() {
        view.scan(Family.TRASH, TrashKeys.records(), TrashKeys.records(), this::checkRecord);
        if (records != trashed) {
            violated.accept("T1 " + trashed + " inodes are in the trash, records: " + records);
        }
        if (!sums.equals(TrashQueries.sums(view))) {
            violated.accept("T1 the trash holds " + sums + ", sums " + TrashQueries.sums(view));
        }
        view.scan(
                Family.TRASH,
                TrashKeys.ends(),
                TrashKeys.ends(),
                (key, _) -> {
                    long ino = TrashKeys.endingOf(key);
                    TrashRecord record = TrashQueries.find(view, ino);
                    if (record == null || record.expiresNs() != TrashKeys.endOf(key)) {
                        violated.accept("T1 inode " + ino + " ends without a record of that end");
                    }
                    return true;
                });
        view.scan(Family.TRASH, TrashKeys.kept(), TrashKeys.kept(), this::checkKept);
    }

    private boolean checkRecord(byte[] key, byte[] value) {
        TrashRecord record = TrashRecord.decode(key, value);
        records++;
        sums = sums.plus(record, 1);
        byte[] end = TrashKeys.end(record.expiresNs(), record.ino());
        if (record.expiresNs() != 0 && view.get(Family.TRASH, end) == null) {
            violated.accept("T1 inode " + record.ino() + " is not in the order of ends");
        }
        if (record.expiresNs() == 0 && !record.isDirectory()) {
            violated.accept("T1 inode " + record.ino() + " never leaves the trash");
        }
        if (view.inode(record.ino()) == null) {
            violated.accept("T1 inode " + record.ino() + " has a record and does not exist");
        }
        return true;
    }

    private boolean checkKept(byte[] key, byte[] value) {
        long ino = TrashKeys.inoOf(key);
        Inode directory = view.inode(ino);
        if (ino != 0 && (directory == null || directory.attributes().nlink() == 0)) {
            violated.accept("T1 directory " + ino + " is gone and keeps what goes");
        }
        return true;
    }
}
