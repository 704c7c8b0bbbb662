package io.cairn.metadata.tree;

import static io.cairn.metadata.Bench.ROOT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.cairn.base.Errno;
import io.cairn.cluster.DirectoryState;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.metadata.Bench;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply.EntryReply;
import io.cairn.wire.master.TreeMutation;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RenameOperationTest {
    private static final int NOREPLACE = FileSystem.RENAME_NOREPLACE;
    private static final int EXCHANGE = FileSystem.RENAME_EXCHANGE;

    private final Bench bench = new Bench();
    private final long file = bench.create(ROOT, "file").ino();
    private final long other = bench.create(ROOT, "other").ino();
    private final long dir = bench.mkdir(ROOT, "dir").ino();
    private final long sub = bench.mkdir(dir, "sub").ino();
    private final long empty = bench.mkdir(ROOT, "empty").ino();

    @AfterEach
    void invariantsHold() {
        bench.verify();
    }

    private long lookup(long parent, String name) {
        return assertInstanceOf(
                        EntryReply.class, bench.read(new Query.Lookup(parent, Name.of(name))))
                .inode()
                .ino();
    }

    private void fails(Errno errno, long parent, String name, long newParent, String newName) {
        bench.fails(errno, Bench.renaming(parent, name, newParent, newName, 0));
    }

    @Test
    void withinADirectory() {
        bench.nowNs += 100;
        long rootChanges = bench.inode(ROOT).nameChanges();
        EntryReply reply = bench.rename(ROOT, "file", ROOT, "new");
        assertEquals(file, lookup(ROOT, "new"));
        bench.isAbsent(ROOT, "file");
        assertEquals(bench.nowNs, reply.inode().attributes().ctimeNs());
        DirectoryState parent = reply.parent();
        assertNotNull(parent);
        assertEquals(bench.nowNs, parent.attributes().mtimeNs());
        assertEquals(rootChanges + 1, parent.nameChanges());
        assertNull(reply.otherParent());
        assertNull(reply.replaced());
    }

    @Test
    void intoAnotherDirectory() {
        bench.nowNs += 100;
        long rootChanges = bench.inode(ROOT).nameChanges();
        long dirChanges = bench.inode(dir).nameChanges();
        EntryReply reply = bench.rename(ROOT, "file", dir, "new");
        assertEquals(file, lookup(dir, "new"));
        DirectoryState from = reply.parent();
        DirectoryState to = reply.otherParent();
        assertNotNull(from);
        assertNotNull(to);
        assertEquals(ROOT, from.ino());
        assertEquals(dir, to.ino());
        assertEquals(bench.nowNs, to.attributes().mtimeNs());
        assertEquals(rootChanges + 1, from.nameChanges());
        assertEquals(dirChanges + 1, to.nameChanges());
        assertEquals(2, to.entryCount());
        assertEquals(2, bench.inode(dir).entryCount());
        assertEquals(3, bench.inode(ROOT).entryCount());
    }

    @Test
    void aDirectoryMovesWithItsLinks() {
        bench.rename(dir, "sub", empty, "sub");
        assertEquals(2, bench.inode(dir).attributes().nlink());
        assertEquals(3, bench.inode(empty).attributes().nlink());
        assertEquals(empty, bench.inode(sub).parentIno());
    }

    @Test
    void aReplacedFileBecomesAnOrphan() {
        bench.nowNs += 100;
        EntryReply reply = bench.rename(ROOT, "file", ROOT, "other");
        Attributes replaced = reply.replaced();
        assertNotNull(replaced);
        assertEquals(other, replaced.ino());
        assertEquals(0, replaced.nlink());
        assertEquals(bench.nowNs, replaced.ctimeNs());
        assertEquals(List.of(other), bench.namespace.orphans(0, 10));
        assertEquals(file, lookup(ROOT, "other"));
    }

    @Test
    void aReplacedHardLinkLosesOneName() {
        bench.ok(new TreeMutation.Link(other, dir, Name.of("kept")));
        bench.rename(ROOT, "file", ROOT, "other");
        assertEquals(1, bench.inode(other).attributes().nlink());
        assertEquals(List.of(), bench.namespace.orphans(0, 10));
    }

    @Test
    void anEmptyDirectoryIsReplaced() {
        bench.rename(ROOT, "dir", ROOT, "empty");
        assertEquals(dir, lookup(ROOT, "empty"));
        assertEquals(List.of(empty), bench.namespace.orphans(0, 10));
        assertEquals(3, bench.inode(ROOT).attributes().nlink());
    }

    @Test
    void aDirectoryReplacesAcrossDirectories() {
        bench.rename(dir, "sub", ROOT, "empty");
        assertEquals(sub, lookup(ROOT, "empty"));
        assertEquals(2, bench.inode(dir).attributes().nlink());
        assertEquals(4, bench.inode(ROOT).attributes().nlink());
        assertEquals(ROOT, bench.inode(sub).parentIno());
    }

    @Test
    void typesMustFit() {
        fails(Errno.ENOTDIR, ROOT, "dir", ROOT, "file");
        fails(Errno.EISDIR, ROOT, "file", ROOT, "empty");
        fails(Errno.ENOTEMPTY, ROOT, "empty", ROOT, "dir");
        fails(Errno.ENOENT, ROOT, "missing", ROOT, "file");
        fails(Errno.ENOTDIR, file, "x", ROOT, "y");
        fails(Errno.ENOTDIR, ROOT, "file", other, "y");
        fails(Errno.ESTALE, ROOT, "file", 4711, "y");
    }

    @Test
    void nothingMovesIntoItself() {
        fails(Errno.EINVAL, ROOT, "dir", dir, "x");
        fails(Errno.EINVAL, ROOT, "dir", sub, "x");
        fails(Errno.ENOTEMPTY, dir, "sub", ROOT, "dir");
        bench.create(sub, "deep");
        fails(Errno.ENOTEMPTY, sub, "deep", ROOT, "dir");
        bench.fails(Errno.EINVAL, Bench.renaming(ROOT, "dir", dir, "sub", EXCHANGE));
        bench.fails(Errno.EINVAL, Bench.renaming(dir, "sub", ROOT, "dir", EXCHANGE));
        bench.fails(Errno.EINVAL, Bench.renaming(sub, "deep", ROOT, "dir", EXCHANGE));
    }

    @Test
    void namesOfOneInodeStayAsTheyAre() {
        bench.ok(new TreeMutation.Link(file, dir, Name.of("twin")));
        Attributes before = bench.inode(file).attributes();
        DirectoryState root = bench.inode(ROOT).directoryState();
        bench.nowNs += 100;
        EntryReply reply = bench.rename(ROOT, "file", dir, "twin");
        assertEquals(file, reply.inode().ino());
        assertNull(reply.replaced());
        assertEquals(file, lookup(ROOT, "file"));
        bench.rename(ROOT, "file", ROOT, "file");
        bench.rename(ROOT, "dir", ROOT, "dir");
        bench.ok(Bench.renaming(ROOT, "file", dir, "twin", EXCHANGE));
        assertEquals(before, bench.inode(file).attributes());
        assertEquals(root, bench.inode(ROOT).directoryState());
    }

    @Test
    void noReplace() {
        bench.fails(Errno.EEXIST, Bench.renaming(ROOT, "file", ROOT, "other", NOREPLACE));
        bench.fails(Errno.EEXIST, Bench.renaming(ROOT, "file", ROOT, "file", NOREPLACE));
        bench.ok(Bench.renaming(ROOT, "file", ROOT, "new", NOREPLACE));
        assertEquals(file, lookup(ROOT, "new"));
    }

    @Test
    void exchangeOfFiles() {
        bench.nowNs += 100;
        long rootChanges = bench.inode(ROOT).nameChanges();
        EntryReply reply = bench.ok(Bench.renaming(ROOT, "file", ROOT, "other", EXCHANGE));
        assertEquals(rootChanges + 1, bench.inode(ROOT).nameChanges());
        assertEquals(other, lookup(ROOT, "file"));
        assertEquals(file, lookup(ROOT, "other"));
        Attributes replaced = reply.replaced();
        assertNotNull(replaced);
        assertEquals(1, replaced.nlink());
        assertEquals(bench.nowNs, replaced.ctimeNs());
        bench.fails(Errno.ENOENT, Bench.renaming(ROOT, "file", ROOT, "missing", EXCHANGE));
    }

    @Test
    void exchangeOfAFileAndADirectoryAcrossDirectories() {
        bench.ok(Bench.renaming(ROOT, "file", dir, "sub", EXCHANGE));
        assertEquals(sub, lookup(ROOT, "file"));
        assertEquals(file, lookup(dir, "sub"));
        assertEquals(ROOT, bench.inode(sub).parentIno());
        assertEquals(dir, bench.inode(file).parentIno());
        assertEquals(2, bench.inode(dir).attributes().nlink());
        assertEquals(5, bench.inode(ROOT).attributes().nlink());
    }

    @Test
    void exchangeOfDirectories() {
        bench.ok(Bench.renaming(dir, "sub", ROOT, "empty", EXCHANGE));
        assertEquals(empty, lookup(dir, "sub"));
        assertEquals(sub, lookup(ROOT, "empty"));
        assertEquals(dir, bench.inode(empty).parentIno());
        assertEquals(3, bench.inode(dir).attributes().nlink());
    }

    @Test
    void badFlags() {
        for (int flags : new int[] {3, 6, 7, 8, -1}) {
            bench.fails(Errno.EINVAL, Bench.renaming(ROOT, "file", ROOT, "x", flags));
        }
    }

    @Test
    void theOrderOfOneEntryCounts() {
        // A directory is made, moved and filled in one log entry.
        var replies =
                bench.applyEntry(
                        Bench.entry(
                                bench.envelope(
                                        1, new TreeMutation.Mkdir(ROOT, Name.of("n"), 0, 0, 0)),
                                bench.envelope(1, Bench.renaming(ROOT, "n", dir, "m", 0)),
                                bench.envelope(1, Bench.creation(empty + 1, "f", ""))));
        replies.forEach(reply -> assertInstanceOf(EntryReply.class, reply));
        assertEquals(empty + 1, lookup(dir, "m"));
        assertArrayEquals(new byte[0], bench.inode(lookup(empty + 1, "f")).inline());
    }
}
