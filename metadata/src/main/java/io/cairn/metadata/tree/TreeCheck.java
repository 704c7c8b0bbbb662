package io.cairn.metadata.tree;

import io.cairn.cluster.Inode;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.fs.TrashPlace;
import io.cairn.fs.quota.Sums;
import io.cairn.metadata.inode.DirectoryTable.Dentry;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.View;
import io.cairn.metadata.usage.UsageCheck;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Checks the tree: names and inodes belong together, counts are true, the root reaches everything.
 *
 * <p>Each name is the one at home of its inode or has a record as a further one; each inode has the
 * one, and each record its name. So counts are right when they are those of the records.
 */
public final class TreeCheck {
    /** Directories that the root is known to reach; begun anew when there are more. */
    private static final int MAX_ROOTED = 1 << 18;

    private final View view;
    private final UsageCheck usage;
    private final Consumer<String> violated;
    private final Set<Long> rooted = new HashSet<>();
    private long inodes;
    private @Nullable Listing listing;

    /** The names of one directory, while they are read. */
    private static final class Listing {
        final long ino;
        final @Nullable Inode directory;
        long entries;
        int directories;
        Sums sums = Sums.ZERO;

        Listing(long ino, @Nullable Inode directory) {
            this.ino = ino;
            this.directory = directory;
        }
    }

    public TreeCheck(View view, UsageCheck usage, Consumer<String> violated) {
        this.view = view;
        this.usage = usage;
        this.violated = violated;
    }

    /** Checks an inode; all of them come before the check of names. */
    public void check(Inode inode) {
        inodes++;
        Attributes a = inode.attributes();
        String what = "I11 inode " + a.ino();
        boolean isDirectory = a.type() == FileType.DIRECTORY;
        if (isDirectory && a.nlink() > 0) {
            int names = namesAtHome(inode);
            boolean isOutside = a.ino() == FileSystem.ROOT_INO || a.ino() == TrashPlace.INO;
            if (names != (isOutside ? 0 : 1)) {
                violated.accept(what + " is a directory with " + names + " names");
            }
            if (!isRooted(inode)) {
                violated.accept(what + " is a directory that the root does not reach");
            }
        } else if (!isDirectory) {
            int names = namesAtHome(inode) + (a.nlink() > 1 ? furtherNames(a.ino()) : 0);
            if (a.nlink() != names) {
                violated.accept(what + " has nlink " + a.nlink() + ", names: " + names);
            }
            if (a.nlink() == 0 && inode.parentIno() != 0) {
                violated.accept(what + " has no name and a home");
            }
        }
        if (!isDirectory || isEmpty(a.ino())) {
            checkCounts(inode, new Listing(a.ino(), inode));
        }
        if (a.nlink() == 0 && view.get(Family.ORPHAN, Keys.of(a.ino())) == null) {
            violated.accept(what + " has no name and is not listed as an orphan");
        }
    }

    /** Checks all names, and the lists of inodes. */
    public void check(long inodeCount) {
        if (inodes != inodeCount) {
            violated.accept("I11 " + inodes + " inodes, counted " + inodeCount);
        }
        view.each(Family.DENTRY, this::checkDentry);
        finishListing();
        view.each(Family.LINK, (key, value) -> checkLink(key));
        view.each(Family.ORPHAN, (key, value) -> checkOrphan(Keys.numberAt(key, 0)));
    }

    /** 1 when its home has the name that it thinks it has there, else 0. */
    private int namesAtHome(Inode inode) {
        byte[] home = Keys.of(inode.parentIno(), inode.nameCookie());
        int[] found = {0};
        view.scan(
                Family.DENTRY,
                home,
                home,
                (key, value) -> {
                    boolean isIts = Dentry.decode(value).ino() == inode.ino();
                    // Another name with the same cookie is a further one, with a record.
                    found[0] += isIts && !isFurther(inode, key) ? 1 : 0;
                    return true;
                });
        return found[0];
    }

    private boolean isFurther(Inode inode, byte[] dentry) {
        return inode.attributes().nlink() > 1
                && !inode.attributes().isDirectory()
                && view.get(
                                Family.LINK,
                                Keys.link(
                                        inode.ino(), Keys.numberAt(dentry, 0), Keys.nameOf(dentry)))
                        != null;
    }

    private int furtherNames(long ino) {
        int[] count = {0};
        byte[] all = Keys.of(ino);
        view.scan(
                Family.LINK,
                all,
                all,
                (_, _) -> {
                    count[0]++;
                    return true;
                });
        return count[0];
    }

    private boolean isEmpty(long directory) {
        boolean[] empty = {true};
        byte[] all = Keys.of(directory);
        view.scan(
                Family.DENTRY,
                all,
                all,
                (_, _) -> {
                    empty[0] = false;
                    return false;
                });
        return empty[0];
    }

    private void checkDentry(byte[] key, byte[] value) {
        long parentIno = Keys.numberAt(key, 0);
        Name name = Keys.nameOf(key);
        String what = "I11 '" + name + "' in directory " + parentIno;
        Dentry dentry = Dentry.decode(value);
        if (Keys.numberAt(key, 8) != name.cookie()) {
            violated.accept(what + " has a wrong cookie");
        }
        Listing of = listing(parentIno);
        of.entries++;
        of.directories += dentry.isDirectory() ? 1 : 0;
        if (of.directory == null || !of.directory.attributes().isDirectory()) {
            violated.accept(what + ": that is no directory");
        }
        Inode child = view.inode(dentry.ino());
        if (child == null) {
            violated.accept(what + " is inode " + dentry.ino() + ", which does not exist");
            return;
        }
        if (child.attributes().type() != dentry.type()) {
            violated.accept(what + " has type " + dentry.type() + ", its inode another");
        }
        if (isFurther(child, key)) {
            return;
        }
        of.sums = of.sums.plus(usage.total(child));
        if (child.parentIno() != parentIno) {
            violated.accept(what + " thinks that it is in directory " + child.parentIno());
        } else if (child.nameCookie() != name.cookie()) {
            violated.accept(what + " thinks that it has another name there");
        }
    }

    private Listing listing(long ino) {
        Listing now = listing;
        if (now == null || now.ino != ino) {
            finishListing();
            now = new Listing(ino, view.inode(ino));
            listing = now;
        }
        return now;
    }

    private void finishListing() {
        if (listing != null && listing.directory != null) {
            checkCounts(listing.directory, listing);
        }
        listing = null;
    }

    /** The counts of a directory are those of its names; whatever else has none. */
    private void checkCounts(Inode inode, Listing names) {
        Attributes a = inode.attributes();
        String what = "I11 inode " + a.ino();
        if (a.isDirectory() && a.nlink() > 0 && a.nlink() != 2 + names.directories) {
            violated.accept(
                    what + " has nlink " + a.nlink() + ", directories: " + names.directories);
        }
        if (inode.entryCount() != names.entries) {
            violated.accept(what + " counts " + inode.entryCount() + " entries: " + names.entries);
        }
        if (a.isDirectory()) {
            usage.compare(a.ino(), names.sums);
        }
        long changes = inode.nameChanges();
        boolean counts = a.isDirectory() || a.isFile();
        if (counts ? changes < names.entries : changes != 0) {
            violated.accept(what + " counts " + changes + " changes of names: " + names.entries);
        }
    }

    /** A further name, of which there is a dentry. */
    private void checkLink(byte[] key) {
        long ino = Keys.numberAt(key, 0);
        byte[] dentry = Keys.dentryOf(key);
        byte[] value = view.get(Family.DENTRY, dentry);
        Inode inode = view.inode(ino);
        if (inode == null || value == null || Dentry.decode(value).ino() != ino) {
            violated.accept(
                    "I11 inode %d has no name '%s' in directory %d"
                            .formatted(ino, Keys.nameOf(dentry), Keys.numberAt(dentry, 0)));
        } else if (inode.attributes().isDirectory() || inode.attributes().nlink() <= 1) {
            violated.accept("I11 inode " + ino + " has records of further names that are none");
        }
    }

    private boolean isRooted(Inode directory) {
        Set<Long> path = new HashSet<>();
        @Nullable Inode at = directory;
        while (at != null && at.ino() != FileSystem.ROOT_INO && !rooted.contains(at.ino())) {
            if (!path.add(at.ino())) {
                return false;
            }
            at = view.inode(at.parentIno());
        }
        if (at == null) {
            return false;
        }
        if (rooted.size() + path.size() > MAX_ROOTED) {
            rooted.clear();
        }
        rooted.addAll(path);
        return true;
    }

    private void checkOrphan(long ino) {
        Inode inode = view.inode(ino);
        if (inode == null || inode.attributes().nlink() != 0) {
            violated.accept("I11 inode " + ino + " is listed as an orphan and is none");
        }
    }
}
