package io.cairn.metadata.check;

import io.cairn.cluster.Inode;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.metadata.content.ObjectLedger;
import io.cairn.metadata.inode.DirectoryTable.Dentry;
import io.cairn.metadata.state.Counters;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Transaction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Checks invariants over the whole state: here those of the tree; {@link ContentCheck} and {@link
 * SessionCheck} and {@link JobCheck} do the rest. Used once, while no entry is applied. Needs
 * memory for every inode.
 */
public final class StateCheck {
    /** Violations told; what comes beyond is only counted. */
    static final int MAX_LINES = 1000;

    private static final byte[] ALL = {};

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

    private final Store store;
    private final long inodeCount;
    private final List<String> violations = new ArrayList<>();
    private final Map<Long, Links> inodes = new TreeMap<>();
    private final Set<Long> rooted = new HashSet<>();
    private int omitted;

    public StateCheck(Store store, long inodeCount) {
        this.store = store;
        this.inodeCount = inodeCount;
    }

    /** One line per violation. */
    public List<String> violations() {
        ContentCheck contents = new ContentCheck(this::violated);
        scan(
                Family.INODE,
                (key, value) -> {
                    Inode inode = Transaction.decodeInode(value);
                    if (inode.ino() != Keys.numberAt(key, 0)) {
                        violated("I11 inode " + Keys.numberAt(key, 0) + " is stored as another");
                    }
                    inodes.put(inode.ino(), new Links(inode));
                    contents.check(inode);
                });
        if (inodes.size() != inodeCount) {
            violated("I11 " + inodes.size() + " inodes, counted " + inodeCount);
        }
        scan(Family.DENTRY, this::checkDentry);
        scan(Family.LINK, (key, value) -> checkLink(key));
        inodes.values().forEach(this::checkLinks);
        scan(Family.ORPHAN, (key, value) -> checkOrphan(Keys.numberAt(key, 0)));
        scan(Family.GC, (key, value) -> contents.check(ObjectLedger.decode(key, value)));
        contents.checkPools(Counters.load(store).poolUses());
        scan(
                Family.META,
                (key, value) -> {
                    byte[] prefix = Keys.leavings();
                    int length = prefix.length;
                    if (key.length == length + 8
                            && Arrays.equals(key, 0, length, prefix, 0, length)) {
                        checkLeaving(Keys.numberAt(key, length));
                    }
                });
        new SessionCheck(store, inodes.keySet(), this::violated).check();
        new JobCheck(store, this::violated).check();
        if (omitted > 0) {
            violations.add("and " + omitted + " more");
        }
        return violations;
    }

    private interface Entry {
        void accept(byte[] key, byte[] value);
    }

    private void scan(Family family, Entry entry) {
        store.scan(
                family,
                ALL,
                ALL,
                (key, value) -> {
                    entry.accept(key, value);
                    return true;
                });
    }

    private void violated(String line) {
        if (violations.size() < MAX_LINES) {
            violations.add(line);
        } else {
            omitted++;
        }
    }

    private void checkDentry(byte[] key, byte[] value) {
        long parentIno = Keys.numberAt(key, 0);
        Name name = Keys.nameOf(key);
        String what = "I11 '" + name + "' in directory " + parentIno;
        Dentry dentry = Dentry.decode(value);
        if (Keys.numberAt(key, 8) != name.cookie()) {
            violated(what + " has a wrong cookie");
        }
        Links parent = inodes.get(parentIno);
        if (parent == null || !parent.inode.attributes().isDirectory()) {
            violated(what + ": that is no directory");
        } else {
            parent.entries++;
            parent.directories += dentry.isDirectory() ? 1 : 0;
        }
        Links child = inodes.get(dentry.ino());
        if (child == null) {
            violated(what + " is inode " + dentry.ino() + ", which does not exist");
            return;
        }
        child.names++;
        if (child.inode.attributes().type() != dentry.type()) {
            violated(what + " has type " + dentry.type() + ", its inode another");
        }
        if (child.inode.attributes().nlink() > 1
                && !dentry.isDirectory()
                && store.get(Family.LINK, Keys.link(dentry.ino(), parentIno, name)) != null) {
            child.further++;
        } else if (child.inode.parentIno() != parentIno) {
            violated(what + " thinks that it is in directory " + child.inode.parentIno());
        } else if (child.inode.nameCookie() != name.cookie()) {
            violated(what + " thinks that it has another name there");
        }
    }

    /** A further name, of which there is a dentry. */
    private void checkLink(byte[] key) {
        byte[] dentry = Keys.dentryOf(key);
        byte[] value = store.get(Family.DENTRY, dentry);
        Links links = inodes.get(Keys.numberAt(key, 0));
        if (links == null || value == null || Dentry.decode(value).ino() != links.inode.ino()) {
            violated(
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
                violated(what + " is a directory with " + links.names + " names");
            }
            if (a.nlink() != 2 + links.directories) {
                violated(what + " has nlink " + a.nlink() + ", directories: " + links.directories);
            }
            if (!isRooted(links)) {
                violated(what + " is a directory that the root does not reach");
            }
        } else if (a.nlink() != links.names) {
            violated(what + " has nlink " + a.nlink() + ", names: " + links.names);
        }
        if (!isDirectory && a.nlink() == 0 && links.inode.parentIno() != 0) {
            violated(what + " has no name and a home");
        }
        if (links.further != 0) {
            violated(what + " has records of further names that are none");
        }
        if (links.inode.entryCount() != links.entries) {
            violated(what + " counts " + links.inode.entryCount() + " entries: " + links.entries);
        }
        long changes = links.inode.nameChanges();
        boolean counts = isDirectory || a.isFile();
        if (counts ? changes < links.entries : changes != 0) {
            violated(what + " counts " + changes + " changes of names: " + links.entries);
        }
        if (a.nlink() == 0 && store.get(Family.ORPHAN, Keys.of(a.ino())) == null) {
            violated(what + " has no name and is not listed as an orphan");
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

    private void checkLeaving(long ino) {
        Links links = inodes.get(ino);
        if (links == null || links.inode.inline() == null) {
            violated("I11 inode " + ino + " is listed as left inline and is not");
        }
    }

    private void checkOrphan(long ino) {
        Links links = inodes.get(ino);
        if (links == null || links.inode.attributes().nlink() != 0) {
            violated("I11 inode " + ino + " is listed as an orphan and is none");
        }
    }
}
