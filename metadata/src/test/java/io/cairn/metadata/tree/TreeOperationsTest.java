package io.cairn.metadata.tree;

import static io.cairn.metadata.Bench.ROOT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.cairn.base.Errno;
import io.cairn.cluster.DirectoryState;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Policy;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.metadata.Bench;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply.EntryReply;
import io.cairn.wire.master.TreeMutation;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TreeOperationsTest {
    private final Bench bench = new Bench();

    @AfterEach
    void invariantsHold() {
        bench.verify();
    }

    private static TreeMutation.Create node(String name, FileType type, int mode, long rdev) {
        return new TreeMutation.Create(
                ROOT, Name.of(name), type, mode, 10, 20, rdev, false, 0, new byte[0], false);
    }

    private TreeMutation.Mkdir directory(long parentIno, String name) {
        return new TreeMutation.Mkdir(parentIno, Name.of(name), 0755, 10, 20);
    }

    @Test
    void aNewFileHasWhatItWasGiven() {
        bench.nowNs = 5_000;
        Inode file = bench.create(ROOT, "f", "hello");
        Attributes a = file.attributes();
        assertEquals(FileType.FILE, a.type());
        assertEquals(0644, a.mode());
        assertEquals(1, a.nlink());
        assertEquals(10, a.uid());
        assertEquals(20, a.gid());
        assertEquals(5, a.size());
        assertEquals(512, a.usedBytes());
        assertEquals(
                List.of(5_000L, 5_000L, 5_000L), List.of(a.atimeNs(), a.mtimeNs(), a.ctimeNs()));
        assertArrayEquals("hello".getBytes(StandardCharsets.UTF_8), file.inline());
        assertNotNull(file.layout());
    }

    @Test
    void aNewNameChangesTheDirectory() {
        bench.nowNs = 7_000;
        EntryReply reply = bench.ok(Bench.creation(ROOT, "f", ""));
        DirectoryState parent = reply.parent();
        assertNotNull(parent);
        assertEquals(7_000, parent.attributes().mtimeNs());
        assertEquals(7_000, parent.attributes().ctimeNs());
        assertEquals(2, parent.attributes().nlink());
        assertEquals(1, parent.nameChanges());
        assertEquals(1, bench.inode(ROOT).entryCount());
        assertEquals(parent, bench.inode(ROOT).directoryState());
    }

    @Test
    void everyFileHasItsOwnNumberObjectAndSeed() {
        Inode one = bench.create(ROOT, "1");
        Inode two = bench.create(ROOT, "2");
        assertNotEquals(one.ino(), two.ino());
        Layout first = one.layout();
        Layout second = two.layout();
        assertNotNull(first);
        assertNotNull(second);
        assertNotEquals(first.lastOid(), second.lastOid());
        assertNotEquals(first.seed(), second.seed());
        assertEquals(Layout.STANDARD_CHUNK_SIZE_LOG2, first.chunkSizeLog2());
    }

    @Test
    void specialFilesHaveNoContents() {
        for (FileType type :
                List.of(
                        FileType.FIFO,
                        FileType.SOCKET,
                        FileType.CHARACTER_DEVICE,
                        FileType.BLOCK_DEVICE)) {
            Inode inode = bench.ok(node(type.name(), type, 0600, 0x103)).inode();
            boolean isDevice = type == FileType.CHARACTER_DEVICE || type == FileType.BLOCK_DEVICE;
            assertEquals(type, inode.attributes().type());
            assertEquals(isDevice ? 0x103 : 0, inode.attributes().rdev());
            assertNull(inode.layout());
            assertNull(inode.inline());
        }
        bench.fails(Errno.EINVAL, node("d", FileType.DIRECTORY, 0600, 0));
        bench.fails(Errno.EINVAL, node("s", FileType.SYMLINK, 0600, 0));
    }

    @Test
    void onlyTheTwelveModeBitsCount() {
        assertEquals(07777, bench.ok(node("f", FileType.FILE, -1, 0)).inode().attributes().mode());
    }

    @Test
    void anExistingNameIsRefusedOrReturned() {
        Inode file = bench.create(ROOT, "f", "old");
        bench.mkdir(ROOT, "d");
        bench.fails(Errno.EEXIST, Bench.creation(ROOT, "f", "new"));
        bench.fails(Errno.EEXIST, directory(ROOT, "f"));
        byte[] none = {};
        TreeMutation.Create orExisting =
                new TreeMutation.Create(
                        ROOT, Name.of("f"), FileType.FILE, 0, 1, 1, 0, true, 0, none, true);
        EntryReply reply = bench.ok(orExisting);
        assertEquals(file.attributes(), reply.inode().attributes());
        assertEquals(2, bench.inode(ROOT).nameChanges());
        bench.fails(
                Errno.EEXIST,
                new TreeMutation.Create(
                        ROOT, Name.of("d"), FileType.FILE, 0, 1, 1, 0, true, 0, none, true));
        bench.fails(
                Errno.EEXIST,
                new TreeMutation.Create(
                        ROOT, Name.of("f"), FileType.FIFO, 0, 1, 1, 0, true, 0, none, true));
    }

    @Test
    void exclusiveCreateFindsItselfByItsVerifier() {
        byte[] none = {};
        TreeMutation.Create exclusive =
                new TreeMutation.Create(
                        ROOT, Name.of("f"), FileType.FILE, 0644, 1, 1, 0, false, 88, none, false);
        long ino = bench.ok(exclusive).inode().ino();
        assertEquals(ino, bench.ok(exclusive).inode().ino());
        bench.fails(
                Errno.EEXIST,
                new TreeMutation.Create(
                        ROOT, Name.of("f"), FileType.FILE, 0644, 1, 1, 0, false, 89, none, false));
    }

    @Test
    void contentsBeyondTheInlineLimitAreRefused() {
        String atLimit = "x".repeat(Bench.INLINE_LIMIT);
        bench.create(ROOT, "f", atLimit);
        bench.fails(Errno.EFBIG, Bench.creation(ROOT, "g", atLimit + "x"));
        bench.fails(
                Errno.EINVAL,
                new TreeMutation.Create(
                        ROOT,
                        Name.of("p"),
                        FileType.FIFO,
                        0,
                        0,
                        0,
                        0,
                        false,
                        0,
                        new byte[1],
                        false));
    }

    @Test
    void parentsMustBeLiveDirectories() {
        Inode file = bench.create(ROOT, "f");
        Inode dir = bench.mkdir(ROOT, "d");
        bench.ok(new TreeMutation.Rmdir(ROOT, Name.of("d")));
        bench.fails(Errno.ENOTDIR, Bench.creation(file.ino(), "x", ""));
        bench.fails(Errno.ENOENT, Bench.creation(dir.ino(), "x", ""));
        bench.fails(Errno.ENOENT, directory(dir.ino(), "x"));
        bench.fails(Errno.ESTALE, Bench.creation(4711, "x", ""));
        bench.leader(new LeaderMutation.Purge(new long[] {dir.ino()}));
        bench.fails(Errno.ESTALE, Bench.creation(dir.ino(), "x", ""));
    }

    @Test
    void directoriesCountTheirSubdirectories() {
        Inode dir = bench.mkdir(ROOT, "d");
        bench.mkdir(dir.ino(), "a");
        bench.mkdir(dir.ino(), "b");
        bench.create(dir.ino(), "f");
        assertEquals(4, bench.inode(dir.ino()).attributes().nlink());
        assertEquals(3, bench.inode(dir.ino()).entryCount());
        assertEquals(3, bench.inode(ROOT).attributes().nlink());
        assertEquals(dir.ino(), bench.inode(dir.ino() + 1).parentIno());
        bench.ok(new TreeMutation.Rmdir(dir.ino(), Name.of("a")));
        assertEquals(3, bench.inode(dir.ino()).attributes().nlink());
    }

    @Test
    void setgidDirectoriesGiveTheirGroup() {
        Inode dir = bench.mkdir(ROOT, "d");
        bench.change(dir.ino(), AttributeChange.NONE.withMode(02755).withGid(500));
        Attributes file = bench.create(dir.ino(), "f").attributes();
        assertEquals(500, file.gid());
        assertEquals(0644, file.mode());
        Attributes sub = bench.mkdir(dir.ino(), "s").attributes();
        assertEquals(500, sub.gid());
        assertEquals(02755, sub.mode());
        byte[] target = {'x'};
        Inode link =
                bench.ok(new TreeMutation.Symlink(dir.ino(), Name.of("l"), target, 1, 1)).inode();
        assertEquals(500, link.attributes().gid());
        assertEquals(0777, link.attributes().mode());
    }

    @Test
    void policiesAreInheritedByFilesAndDirectories() {
        Inode dir = bench.mkdir(ROOT, "d");
        Policy policy = new Policy(3, 16, 2);
        bench.ok(new TreeMutation.SetPolicy(dir.ino(), policy));
        Inode sub = bench.mkdir(dir.ino(), "s");
        Inode file = bench.create(sub.ino(), "f");
        assertEquals(policy, sub.policy());
        assertEquals(policy, file.policy());
        Layout layout = file.layout();
        assertNotNull(layout);
        assertEquals(16, layout.chunkSizeLog2());
        assertEquals(2, layout.stripeWidth());
        assertEquals(0, layout.lastRun().poolId());
    }

    @Test
    void symlinksKeepTheirTarget() {
        byte[] target = "../over there\u00e9".getBytes(StandardCharsets.UTF_8);
        Inode link = bench.ok(new TreeMutation.Symlink(ROOT, Name.of("l"), target, 1, 2)).inode();
        assertArrayEquals(target, link.inline());
        assertEquals(target.length, link.attributes().size());
        bench.fails(Errno.ENOENT, new TreeMutation.Symlink(ROOT, Name.of("m"), new byte[0], 1, 2));
        byte[] longest = new byte[FileSystem.MAX_PATH_BYTES - 1];
        java.util.Arrays.fill(longest, (byte) 'x');
        bench.ok(new TreeMutation.Symlink(ROOT, Name.of("m"), longest, 1, 2));
        byte[] tooLong = new byte[FileSystem.MAX_PATH_BYTES];
        java.util.Arrays.fill(tooLong, (byte) 'x');
        bench.fails(
                Errno.ENAMETOOLONG, new TreeMutation.Symlink(ROOT, Name.of("n"), tooLong, 1, 2));
        bench.fails(Errno.EINVAL, new TreeMutation.Symlink(ROOT, Name.of("n"), new byte[1], 1, 2));
    }

    @Test
    void hardLinksShareTheInode() {
        Inode file = bench.create(ROOT, "f", "x");
        bench.nowNs += 10;
        Inode dir = bench.mkdir(ROOT, "d");
        bench.nowNs += 10;
        Inode linked = bench.ok(new TreeMutation.Link(file.ino(), dir.ino(), Name.of("g"))).inode();
        assertEquals(file.ino(), linked.ino());
        assertEquals(2, linked.attributes().nlink());
        assertEquals(bench.nowNs, linked.attributes().ctimeNs());
        assertEquals(file.attributes().mtimeNs(), linked.attributes().mtimeNs());
        bench.unlink(ROOT, "f");
        assertEquals(1, bench.inode(file.ino()).attributes().nlink());
        assertEquals(List.of(), bench.namespace.orphans(0, 10));
    }

    @Test
    void linksThatCannotBe() {
        Inode file = bench.create(ROOT, "f");
        Inode dir = bench.mkdir(ROOT, "d");
        bench.fails(Errno.EPERM, new TreeMutation.Link(dir.ino(), ROOT, Name.of("x")));
        bench.fails(Errno.EEXIST, new TreeMutation.Link(file.ino(), ROOT, Name.of("d")));
        bench.fails(Errno.ENOTDIR, new TreeMutation.Link(file.ino(), file.ino(), Name.of("x")));
        bench.fails(Errno.ESTALE, new TreeMutation.Link(4711, ROOT, Name.of("x")));
        bench.unlink(ROOT, "f");
        bench.fails(Errno.ENOENT, new TreeMutation.Link(file.ino(), ROOT, Name.of("x")));
    }

    @Test
    void linkCountsHaveAnEnd() {
        Inode file = bench.create(ROOT, "f");
        Inode dir = bench.mkdir(ROOT, "d");
        for (int i = 2; i <= FileSystem.MAX_LINKS; i++) {
            bench.ok(new TreeMutation.Link(file.ino(), dir.ino(), Name.of("l" + i)));
        }
        bench.fails(Errno.EMLINK, new TreeMutation.Link(file.ino(), ROOT, Name.of("x")));
    }

    @Test
    void directoriesBeyondTheLimitOfLinksShowOne() {
        Inode dir = bench.mkdir(ROOT, "d");
        bench.create(ROOT, "f");
        for (int i = 3; i < FileSystem.MAX_LINKS; i++) {
            bench.mkdir(ROOT, "d" + i);
        }
        assertEquals(FileSystem.MAX_LINKS, bench.inode(ROOT).attributes().shownLinks());
        bench.mkdir(ROOT, "x");
        assertEquals(FileSystem.MAX_LINKS + 1, bench.inode(ROOT).attributes().nlink());
        assertEquals(1, bench.inode(ROOT).attributes().shownLinks());
        bench.mkdir(dir.ino(), "s");
        bench.rename(dir.ino(), "s", ROOT, "y");
        bench.mkdir(dir.ino(), "s");
        bench.ok(Bench.renaming(dir.ino(), "s", ROOT, "f", FileSystem.RENAME_EXCHANGE));
        assertEquals(FileSystem.MAX_LINKS + 3, bench.inode(ROOT).attributes().nlink());
        for (String name : List.of("x", "y", "f")) {
            bench.ok(new TreeMutation.Rmdir(ROOT, Name.of(name)));
        }
        assertEquals(FileSystem.MAX_LINKS, bench.inode(ROOT).attributes().shownLinks());
    }

    @Test
    void theLastUnlinkMakesAnOrphan() {
        Inode file = bench.create(ROOT, "f", "still here");
        bench.nowNs += 10;
        EntryReply reply = bench.unlink(ROOT, "f");
        assertEquals(0, reply.inode().attributes().nlink());
        assertEquals(bench.nowNs, reply.inode().attributes().ctimeNs());
        assertEquals(List.of(file.ino()), bench.namespace.orphans(0, 10));
        assertArrayEquals(file.inline(), bench.inode(file.ino()).inline());
        bench.fails(Errno.ENOENT, new TreeMutation.Unlink(ROOT, Name.of("f")));
        bench.leader(new LeaderMutation.Purge(new long[] {file.ino(), ROOT, 4711, file.ino()}));
        assertNull(bench.namespace.inode(file.ino()));
        assertEquals(List.of(), bench.namespace.orphans(0, 10));
        assertEquals(1, bench.namespace.inodeCount());
    }

    @Test
    void orphansAreListedInPages() {
        for (int i = 0; i < 5; i++) {
            bench.create(ROOT, "f" + i);
        }
        for (int i = 0; i < 5; i++) {
            bench.unlink(ROOT, "f" + i);
        }
        assertEquals(List.of(2L, 3L), bench.namespace.orphans(0, 2));
        assertEquals(List.of(4L, 5L, 6L), bench.namespace.orphans(3, 9));
        assertEquals(List.of(), bench.namespace.orphans(Long.MAX_VALUE, 9));
    }

    @Test
    void unlinkAndRmdirWantTheirType() {
        bench.create(ROOT, "f");
        Inode dir = bench.mkdir(ROOT, "d");
        bench.create(dir.ino(), "x");
        bench.fails(Errno.EISDIR, new TreeMutation.Unlink(ROOT, Name.of("d")));
        bench.fails(Errno.ENOTDIR, new TreeMutation.Rmdir(ROOT, Name.of("f")));
        bench.fails(Errno.ENOENT, new TreeMutation.Rmdir(ROOT, Name.of("x")));
        bench.fails(Errno.ENOTEMPTY, new TreeMutation.Rmdir(ROOT, Name.of("d")));
        bench.unlink(dir.ino(), "x");
        EntryReply reply = bench.ok(new TreeMutation.Rmdir(ROOT, Name.of("d")));
        assertEquals(0, reply.inode().attributes().nlink());
        DirectoryState parent = reply.parent();
        assertNotNull(parent);
        assertEquals(2, parent.attributes().nlink());
        assertEquals(new DirectoryState(parent.attributes(), 3, 1), parent);
        bench.readFails(Errno.ENOENT, new Query.Lookup(dir.ino(), Name.of("x")));
    }

    @Test
    void everyChangeOfNamesCountsOnce() {
        long dir = bench.mkdir(ROOT, "d").ino();
        assertEquals(0, bench.inode(dir).nameChanges());
        long file = bench.create(dir, "a").ino();
        bench.ok(new TreeMutation.Link(file, dir, Name.of("b")));
        byte[] target = {'x'};
        bench.ok(new TreeMutation.Symlink(dir, Name.of("c"), target, 1, 1));
        bench.mkdir(dir, "e");
        assertEquals(4, bench.inode(dir).nameChanges());
        bench.fails(Errno.EEXIST, Bench.creation(dir, "a", ""));
        bench.change(dir, io.cairn.fs.AttributeChange.NONE.withMode(0700));
        assertEquals(4, bench.inode(dir).nameChanges());
        bench.unlink(dir, "a");
        bench.ok(new TreeMutation.Rmdir(dir, Name.of("e")));
        bench.rename(dir, "b", dir, "c");
        assertEquals(
                new DirectoryState(bench.inode(dir).attributes(), 7, 1),
                bench.inode(dir).directoryState());
        assertEquals(0, bench.inode(file).nameChanges());
        bench.verify();
    }

    @Test
    void namesAreBytes() {
        Name name = Name.of(new byte[] {(byte) 0xff, (byte) 0xfe, ' ', '\n'});
        byte[] none = {};
        bench.ok(
                new TreeMutation.Create(
                        ROOT, name, FileType.FILE, 0644, 1, 1, 0, false, 0, none, false));
        bench.ok(new TreeMutation.Unlink(ROOT, name));
    }
}
