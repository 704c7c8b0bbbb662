package io.cairn.metadata.trash;

import io.cairn.cluster.Inode;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.fs.TrashPlace;
import io.cairn.metadata.inode.DirectoryTable;
import io.cairn.metadata.inode.DirectoryTable.Dentry;
import io.cairn.metadata.inode.InodeDraft;
import io.cairn.metadata.inode.InodeProtection;
import io.cairn.metadata.inode.InodeTable;
import io.cairn.metadata.state.Transaction;
import io.cairn.wire.master.LeaderMutation.TrashMutation;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.Reply.TrashReply.Made;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The mutations of the trash. Belongs to the apply thread. */
public final class TrashOperations {
    private static final String SUFFIX = ".restored";

    private final Transaction transaction;
    private final InodeTable inodes;
    private final DirectoryTable directories;
    private final TrashBin bin;
    private final TrashTable table;

    public TrashOperations(
            Transaction transaction, InodeTable inodes, DirectoryTable directories, TrashBin bin) {
        this.transaction = transaction;
        this.inodes = inodes;
        this.directories = directories;
        this.bin = bin;
        table = bin.table();
    }

    public Reply apply(TrashMutation mutation) {
        return switch (mutation) {
            case TrashMutation.SetRetention m -> {
                bin.retention().set(m.ino(), m.seconds());
                yield new Reply.Done();
            }
            case TrashMutation.PurgeTrash m -> purge(m.inos());
            case TrashMutation.RestoreTrash m -> restore(m.inos());
        };
    }

    // ---- purging

    private Reply purge(long[] inos) {
        for (long ino : inos) {
            TrashRecord record = table.find(ino);
            if (record != null) {
                purge(record);
            }
        }
        return new Reply.Done();
    }

    private void purge(TrashRecord record) {
        Inode inode = inodes.require(record.ino());
        if (record.isDirectory()) {
            endDirectory(record);
            return;
        }
        long place = inode.parentIno();
        Name name = directories.nameOf(inode);
        table.remove(record.ino());
        inodes.unlink(inode, place, name);
        bin.places().leave(place, name, false);
        bin.places().prune(place);
    }

    /** A directory is not kept for itself any more; it goes when nothing is in it. */
    private void endDirectory(TrashRecord record) {
        table.put(record.expiring(0, 0));
        bin.places().prune(record.ino());
    }

    // ---- restoring

    /** What is restored: each to where it was. Quotas refuse all of it or nothing. */
    private Reply restore(long[] inos) {
        transaction.counters().requireRoom();
        requireRoom(inos);
        requireOpen(inos);
        List<Made> made = new ArrayList<>();
        for (long ino : inos) {
            TrashRecord record = table.find(ino);
            if (record != null && record.deletedNs() != 0) {
                restore(record, made);
            }
        }
        bin.places().forgetPaths();
        return new Reply.TrashReply(made);
    }

    private void requireRoom(long[] inos) {
        if (inodes.quotas().version() == 0) {
            return;
        }
        RestoreRoom room = new RestoreRoom(inodes, directories, table);
        for (long ino : Arrays.stream(inos).distinct().toArray()) {
            TrashRecord record = table.find(ino);
            if (record != null && record.deletedNs() != 0) {
                Inode inode = inodes.require(ino);
                long last = record.isDirectory() ? ino : inode.parentIno();
                room.add(record, inode, namesOf(record.path()), modelsOf(last));
            }
        }
        room.require();
    }

    /** EPERM when one would be restored into an immutable directory. */
    private void requireOpen(long[] inos) {
        for (long ino : inos) {
            TrashRecord record = table.find(ino);
            if (record != null && record.deletedNs() != 0) {
                requireOpen(record);
            }
        }
    }

    private void requireOpen(TrashRecord record) {
        List<Name> names = namesOf(record.path());
        long at = FileSystem.ROOT_INO;
        for (int i = 0; i < depthOf(record, names); i++) {
            Dentry dentry = directories.find(at, free(at, names.get(i), true));
            if (dentry == null) {
                InodeProtection.requireGrowing(inodes.require(at));
                return;
            }
            at = dentry.ino();
        }
        if (!record.isDirectory()) {
            InodeProtection.requireGrowing(inodes.require(at));
        }
    }

    /** How many names of a path are those of directories that have to be there. */
    private static int depthOf(TrashRecord record, List<Name> names) {
        return record.isDirectory() ? names.size() : names.size() - 1;
    }

    private void restore(TrashRecord record, List<Made> made) {
        Inode inode = inodes.require(record.ino());
        List<Name> names = namesOf(record.path());
        List<Long> models = modelsOf(record.isDirectory() ? record.ino() : inode.parentIno());
        long at = FileSystem.ROOT_INO;
        for (int i = 0; i < depthOf(record, names); i++) {
            at = enter(at, names.get(i), models.get(i), made);
        }
        if (record.isDirectory()) {
            endDirectory(record);
            return;
        }
        Name name = free(at, names.getLast(), false);
        long place = inode.parentIno();
        Name placed = directories.nameOf(inode);
        InodeDraft draft = new InodeDraft(inode);
        bin.takeBack(draft);
        draft.ctimeNs = transaction.nowNs();
        inodes.links().renamed(draft, place, placed, at, name);
        inodes.put(draft);
        directories.put(at, name, new Dentry(draft.ino, draft.type));
        touch(at, 0);
        made.add(new Made(at, name));
        bin.places().leave(place, placed, false);
        bin.places().prune(place);
    }

    private static List<Name> namesOf(byte[] path) {
        List<Name> names = new ArrayList<>();
        int begin = 1;
        for (int i = 1; i <= path.length; i++) {
            if (i == path.length || path[i] == '/') {
                names.add(Name.of(Arrays.copyOfRange(path, begin, i)));
                begin = i + 1;
            }
        }
        return names;
    }

    /** The directories of the trash from below that of the day down to one. */
    private List<Long> modelsOf(long directoryIno) {
        List<Long> models = new ArrayList<>();
        long at = directoryIno;
        Inode inode = inodes.require(at);
        long above = inode.parentIno();
        while (above != TrashPlace.INO) {
            models.addFirst(at);
            at = above;
            above = inodes.require(at).parentIno();
        }
        return models;
    }

    /** The directory of a name, made if it is not there; another name when that is a file. */
    private long enter(long parentIno, Name name, long modelIno, List<Made> made) {
        Name tried = free(parentIno, name, true);
        Dentry dentry = directories.find(parentIno, tried);
        if (dentry != null) {
            return dentry.ino();
        }
        TrashRecord model = table.find(modelIno);
        Inode like = inodes.require(modelIno);
        InodeDraft draft =
                inodes.directoryLike(
                        transaction.counters().takeIno(),
                        model == null ? like.attributes() : model.before(),
                        like.policy());
        inodes.copyXattrs(modelIno, draft.ino);
        inodes.links().named(draft, parentIno, tried);
        inodes.put(draft);
        directories.put(parentIno, tried, new Dentry(draft.ino, FileType.DIRECTORY));
        touch(parentIno, 1);
        made.add(new Made(parentIno, tried));
        return draft.ino;
    }

    private void touch(long directoryIno, int moreDirectories) {
        InodeDraft changed = new InodeDraft(inodes.require(directoryIno));
        changed.touchNames(transaction.nowNs());
        changed.entryCount++;
        changed.nlink += moreDirectories;
        inodes.put(changed);
    }

    /**
     * A name, or the first like it that nothing has.
     *
     * @param orDirectory whether a directory may have it
     */
    private Name free(long directoryIno, Name name, boolean orDirectory) {
        Name tried = name;
        for (int attempt = 1; ; attempt++) {
            Dentry dentry = directories.find(directoryIno, tried);
            if (dentry == null || orDirectory && dentry.isDirectory()) {
                return tried;
            }
            tried = suffixed(name, attempt);
        }
    }

    static Name suffixed(Name name, int attempt) {
        return TrashDirectories.withSuffix(name, attempt == 1 ? SUFFIX : SUFFIX + "-" + attempt);
    }
}
