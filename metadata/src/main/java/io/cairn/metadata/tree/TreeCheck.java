package io.cairn.metadata.tree;

import io.cairn.cluster.Inode;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.metadata.inode.DirectoryTable.Dentry;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.View;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Checks the tree: names and inodes belong together, counts are true, the root reaches everything.
 * Needs memory for every inode.
 */
public final class TreeCheck {
    /** The findings about one inode. */
    private static final class Links {
        final Inode inode;
        int names;
        int further;
        long entries;
        int directories;

        Links(Inode inode) {
            this.inode = inode;
        }
    }

    private final View view;
    private final Consumer<String> violated;
    private final Map<Long, Links> inodes = new TreeMap<>();
    private final Set<Long> rooted = new HashSet<>();

    public TreeCheck(View view, Consumer<String> violated) {
        this.view = view;
        this.violated = violated;
    }

    /** Takes note of an inode; all of them come before the check. */
    public void add(Inode inode) {
        inodes.put(inode.ino(), new Links(inode));
    }

    /** The numbers of all inodes. */
    public Set<Long> inos() {
        return inodes.keySet();
    }

    /** Checks all inodes. */
    public void check(long inodeCount) {
        if (inodes.size() != inodeCount) {
            violated.accept("I11 " + inodes.size() + " inodes, counted " + inodeCount);
        }
        view.each(Family.DENTRY, this::checkDentry);
        view.each(Family.LINK, (key, value) -> checkLink(key));
        inodes.values().forEach(this::checkLinks);
        view.each(Family.ORPHAN, (key, value) -> checkOrphan(Keys.numberAt(key, 0)));
    }

    private void checkDentry(byte[] key, byte[] value) {
        long parentIno = Keys.numberAt(key, 0);
        Name name = Keys.nameOf(key);
        String what = "I11 '" + name + "' in directory " + parentIno;
        Dentry dentry = Dentry.decode(value);
        if (Keys.numberAt(key, 8) != name.cookie()) {
            violated.accept(what + " has a wrong cookie");
        }
        Links parent = inodes.get(parentIno);
        if (parent == null || !parent.inode.attributes().isDirectory()) {
            violated.accept(what + ": that is no directory");
        } else {
            parent.entries++;
            parent.directories += dentry.isDirectory() ? 1 : 0;
        }
        Links child = inodes.get(dentry.ino());
        if (child == null) {
            violated.accept(what + " is inode " + dentry.ino() + ", which does not exist");
            return;
        }
        child.names++;
        if (child.inode.attributes().type() != dentry.type()) {
            violated.accept(what + " has type " + dentry.type() + ", its inode another");
        }
        if (child.inode.attributes().nlink() > 1
                && !dentry.isDirectory()
                && view.get(Family.LINK, Keys.link(dentry.ino(), parentIno, name)) != null) {
            child.further++;
        } else if (child.inode.parentIno() != parentIno) {
            violated.accept(what + " thinks that it is in directory " + child.inode.parentIno());
        } else if (child.inode.nameCookie() != name.cookie()) {
            violated.accept(what + " thinks that it has another name there");
        }
    }

    /** A further name, of which there is a dentry. */
    private void checkLink(byte[] key) {
        byte[] dentry = Keys.dentryOf(key);
        byte[] value = view.get(Family.DENTRY, dentry);
        Links links = inodes.get(Keys.numberAt(key, 0));
        if (links == null || value == null || Dentry.decode(value).ino() != links.inode.ino()) {
            violated.accept(
                    "I11 inode %d has no name '%s' in directory %d"
                            .formatted(
                                    Keys.numberAt(key, 0),
                                    Keys.nameOf(dentry),
                                    Keys.numberAt(dentry, 0)));
        } else {
            links.further--;
        }
    }

    private void checkLinks(Links links) {
        Attributes a = links.inode.attributes();
        String what = "I11 inode " + a.ino();
        boolean isDirectory = a.type() == FileType.DIRECTORY;
        if (isDirectory && a.nlink() > 0) {
            int wanted = a.ino() == FileSystem.ROOT_INO ? 0 : 1;
            if (links.names != wanted) {
                violated.accept(what + " is a directory with " + links.names + " names");
            }
            if (a.nlink() != 2 + links.directories) {
                violated.accept(
                        what + " has nlink " + a.nlink() + ", directories: " + links.directories);
            }
            if (!isRooted(links)) {
                violated.accept(what + " is a directory that the root does not reach");
            }
        } else if (a.nlink() != links.names) {
            violated.accept(what + " has nlink " + a.nlink() + ", names: " + links.names);
        }
        if (!isDirectory && a.nlink() == 0 && links.inode.parentIno() != 0) {
            violated.accept(what + " has no name and a home");
        }
        if (links.further != 0) {
            violated.accept(what + " has records of further names that are none");
        }
        if (links.inode.entryCount() != links.entries) {
            violated.accept(
                    what + " counts " + links.inode.entryCount() + " entries: " + links.entries);
        }
        long changes = links.inode.nameChanges();
        boolean counts = isDirectory || a.isFile();
        if (counts ? changes < links.entries : changes != 0) {
            violated.accept(what + " counts " + changes + " changes of names: " + links.entries);
        }
        if (a.nlink() == 0 && view.get(Family.ORPHAN, Keys.of(a.ino())) == null) {
            violated.accept(what + " has no name and is not listed as an orphan");
        }
    }

    private boolean isRooted(Links links) {
        Set<Long> path = new HashSet<>();
        Inode at = links.inode;
        while (at.ino() != FileSystem.ROOT_INO && !rooted.contains(at.ino())) {
            @Nullable Links parent = inodes.get(at.parentIno());
            if (!path.add(at.ino()) || parent == null) {
                return false;
            }
            at = parent.inode;
        }
        rooted.addAll(path);
        return true;
    }

    private void checkOrphan(long ino) {
        Links links = inodes.get(ino);
        if (links == null || links.inode.attributes().nlink() != 0) {
            violated.accept("I11 inode " + ino + " is listed as an orphan and is none");
        }
    }
}
