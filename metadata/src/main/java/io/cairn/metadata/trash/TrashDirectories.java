package io.cairn.metadata.trash;

import io.cairn.cluster.Inode;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.fs.TrashPlace;
import io.cairn.metadata.inode.DirectoryTable;
import io.cairn.metadata.inode.DirectoryTable.Dentry;
import io.cairn.metadata.inode.InodeDraft;
import io.cairn.metadata.inode.InodeTable;
import io.cairn.metadata.state.Transaction;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The directories of the trash: one for each day, in UTC, and below it one for each directory that
 * something was removed from on that day. They have the attributes that the directory had then,
 * with the sticky bit: in a directory of several users each one removes what was theirs. Belongs to
 * the apply thread.
 */
final class TrashDirectories {
    /** Longest path that is kept, in bytes: PATH_MAX. */
    static final int MAX_PATH_BYTES = FileSystem.MAX_PATH_BYTES;

    private static final int STICKY = 01000;
    private static final long NS_PER_DAY = 86_400_000_000_000L;
    private static final int MAX_KNOWN = 4096;

    /**
     * A directory of the trash.
     *
     * @param path of the directory that it stands for; empty for the root
     */
    record Place(long ino, byte[] path) {}

    private final Transaction transaction;
    private final InodeTable inodes;
    private final DirectoryTable directories;
    private final TrashTable table;

    /**
     * Where directories of the tree lead today: only saves time, and may be empty. Every name that
     * leaves the trash empties it: it may have stood in the way of a directory, and a master that
     * has just begun would find its place free.
     */
    private final Map<Long, Place> known = new HashMap<>();

    private long knownDay = -1;

    TrashDirectories(
            Transaction transaction,
            InodeTable inodes,
            DirectoryTable directories,
            TrashTable table) {
        this.transaction = transaction;
        this.inodes = inodes;
        this.directories = directories;
        this.table = table;
    }

    /** Paths of directories have changed, or names in the trash have gone. */
    void forgetPaths() {
        known.clear();
    }

    /** A directory of the tree has gone. */
    void forget(long directoryIno) {
        known.remove(directoryIno);
    }

    /** The place of a live directory, made if need be; null when its path is too long. */
    @Nullable Place of(long directoryIno) {
        long day = Math.floorDiv(transaction.nowNs(), NS_PER_DAY);
        if (day != knownDay || known.size() >= MAX_KNOWN) {
            known.clear();
            knownDay = day;
        }
        Deque<Inode> missing = new ArrayDeque<>();
        Deque<Name> names = new ArrayDeque<>();
        long at = directoryIno;
        int lengthBytes = 0;
        Place place = known.get(at);
        while (place == null && at != FileSystem.ROOT_INO) {
            Inode inode = inodes.require(at);
            Name name = directories.nameOf(inode);
            missing.push(inode);
            names.push(name);
            lengthBytes += name.length() + 1;
            at = inode.parentIno();
            place = known.get(at);
        }
        if (lengthBytes + (place == null ? 0 : place.path.length) > MAX_PATH_BYTES) {
            return null;
        }
        if (place == null) {
            place = today(day);
            known.put(FileSystem.ROOT_INO, place);
        }
        while (!missing.isEmpty()) {
            Inode inode = missing.pop();
            place = below(place, names.pop(), inode);
            known.put(inode.ino(), place);
        }
        return place;
    }

    private Place today(long day) {
        inodes.requireTrash();
        Place trash = new Place(TrashPlace.INO, new byte[0]);
        Inode root = inodes.require(FileSystem.ROOT_INO);
        Name name = Name.of(LocalDate.ofEpochDay(day).toString());
        Dentry dentry = directories.find(TrashPlace.INO, name);
        return dentry != null
                ? new Place(dentry.ino(), trash.path)
                : make(trash, name, root, trash.path);
    }

    private Place below(Place above, Name name, Inode model) {
        byte[] path = join(above.path, name);
        for (int attempt = 0; ; attempt++) {
            Name tried = attempt == 0 ? name : marked(name, model.ino(), attempt);
            Dentry dentry = directories.find(above.ino, tried);
            if (dentry == null) {
                return make(above, tried, model, path);
            }
            if (dentry.isDirectory()) {
                return new Place(dentry.ino(), path);
            }
        }
    }

    private Place make(Place above, Name name, Inode model, byte[] path) {
        long ino = TrashPlace.directory(transaction.counters().takeIno());
        InodeDraft made = inodes.directoryLike(ino, model.attributes(), model.policy());
        made.mode |= STICKY;
        inodes.copyXattrs(model.ino(), ino);
        enter(above.ino, name, made);
        byte[] shown = path.length == 0 ? new byte[] {'/'} : path;
        table.put(new TrashRecord(ino, 0, 0, 0, shown, model.attributes()));
        return new Place(ino, path);
    }

    /** A directory of the tree goes: the one in the trash becomes like it. */
    void refresh(Place place, Inode model) {
        InodeDraft draft = new InodeDraft(inodes.require(place.ino));
        draft.uid = model.attributes().uid();
        draft.gid = model.attributes().gid();
        draft.takeRights(model.attributes());
        draft.mode |= STICKY;
        draft.atimeNs = model.attributes().atimeNs();
        draft.mtimeNs = model.attributes().mtimeNs();
        inodes.put(draft);
        inodes.copyXattrs(model.ino(), place.ino);
    }

    /** Stores an inode under a name in a directory of the trash; its home is there. */
    void enter(long directoryIno, Name name, InodeDraft inode) {
        inodes.links().named(inode, directoryIno, name);
        inodes.put(inode);
        directories.put(directoryIno, name, new Dentry(inode.ino, inode.type));
        InodeDraft changed = new InodeDraft(inodes.require(directoryIno));
        changed.nameChanges++;
        changed.entryCount++;
        changed.nlink += inode.type == FileType.DIRECTORY ? 1 : 0;
        inodes.put(changed);
    }

    /** Takes a name out of a directory of the trash; returns the directory as it is then. */
    Inode leave(long directoryIno, Name name, boolean isDirectory) {
        forgetPaths();
        directories.remove(directoryIno, name);
        InodeDraft changed = new InodeDraft(inodes.require(directoryIno));
        changed.touchNames(transaction.nowNs());
        changed.entryCount--;
        changed.nlink -= isDirectory ? 1 : 0;
        return inodes.put(changed);
    }

    /**
     * Removes directories of the trash upwards, as long as they are empty and nothing by itself.
     */
    void prune(long directoryIno) {
        long at = directoryIno;
        while (at != TrashPlace.INO) {
            Inode directory = inodes.require(at);
            TrashRecord record = table.find(at);
            if (directory.entryCount() > 0 || record != null && record.expiresNs() != 0) {
                return;
            }
            at = remove(directory);
        }
    }

    /** Removes an empty directory of the trash; returns the one above. */
    long remove(Inode directory) {
        long above = directory.parentIno();
        Name name = directories.nameOf(directory);
        table.remove(directory.ino());
        leave(above, name, true);
        inodes.unlink(directory, above, name);
        known.clear();
        return above;
    }

    /** A name in a directory of the trash that is free: the name itself, or with a mark. */
    Name free(long directoryIno, Name name, long ino) {
        Name tried = name;
        for (int attempt = 1; directories.find(directoryIno, tried) != null; attempt++) {
            tried = marked(name, ino, attempt);
        }
        return tried;
    }

    private static Name marked(Name name, long ino, int attempt) {
        return withSuffix(name, attempt == 1 ? "~" + ino : "~" + ino + "~" + attempt);
    }

    /** A name with a suffix, cut to the length that a name may have. */
    static Name withSuffix(Name name, String suffix) {
        byte[] end = suffix.getBytes(StandardCharsets.US_ASCII);
        int kept = Math.min(name.length(), Name.MAX_BYTES - end.length);
        byte[] bytes = Arrays.copyOf(name.bytes(), kept + end.length);
        System.arraycopy(end, 0, bytes, kept, end.length);
        return Name.of(bytes);
    }

    static byte[] join(byte[] path, Name name) {
        ByteArrayOutputStream joined = new ByteArrayOutputStream(path.length + 1 + name.length());
        joined.write(path, 0, path.length);
        joined.write('/');
        joined.write(name.bytes(), 0, name.length());
        return joined.toByteArray();
    }
}
