package io.cairn.metadata.tree;

import static io.cairn.fs.AttributeChange.NONE;
import static io.cairn.metadata.Bench.ROOT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.cluster.Inode;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.fs.quota.Account;
import io.cairn.fs.quota.Quota;
import io.cairn.fs.quota.Sums;
import io.cairn.metadata.Bench;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.SessionMutation.MakeFile;
import io.cairn.wire.master.SessionMutation.Reserved;
import io.cairn.wire.master.TreeMutation;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MakeFileTest {
    private static final byte[] TEXT = "text".getBytes(StandardCharsets.UTF_8);

    private final Bench bench = Bench.withPools(1, 2);
    private final long dir = bench.mkdir(ROOT, "d").ino();

    @AfterEach
    void invariantsHold() {
        bench.verify();
    }

    private Reserved reserve() {
        Reply reply = bench.as(1, new SessionMutation.ReserveNumbers(dir, true));
        return Reserved.of(assertInstanceOf(Reply.BytesReply.class, reply));
    }

    private TreeMutation.Create creation(String name, byte[] contents) {
        return new TreeMutation.Create(
                dir, Name.of(name), FileType.FILE, 0640, 3, 4, 0, false, 0, contents, true);
    }

    private MakeFile file(String name, long ino, AttributeChange change) {
        return new MakeFile(creation(name, TEXT), ino, 77, change);
    }

    @Test
    void itIsAsMadeWrittenAndSetOneAfterTheOther() {
        long ino = reserve().firstIno() + 5;
        AttributeChange change = NONE.withMode(0755).withUid(9).withMtime(5);
        Reply reply = bench.as(1, file("at once", ino, change));
        Reply.EntryReply made = assertInstanceOf(Reply.EntryReply.class, reply);
        Inode one = bench.inode(ino);
        assertEquals(one.withContents(one.layout(), null), made.inode());
        assertEquals(bench.inode(dir).directoryState(), made.parent());

        Reply.EntryReply created =
                assertInstanceOf(
                        Reply.EntryReply.class, bench.as(1, creation("in steps", new byte[0])));
        long other = created.inode().ino();
        var patch = new ContentMutation.Patch(0, TEXT);
        var write = new ContentMutation.WriteInline(other, 0, List.of(patch), 4, 77);
        bench.as(1, new TreeMutation.WriteAndSet(write, change));
        Inode two = bench.inode(other);
        assertArrayEquals(two.inline(), one.inline());
        assertEquals(two.policy(), one.policy());
        Attributes a = one.attributes();
        Attributes b = two.attributes();
        assertEquals(b.mode(), a.mode());
        assertEquals(b.uid(), a.uid());
        assertEquals(b.gid(), a.gid());
        assertEquals(b.size(), a.size());
        assertEquals(b.usedBytes(), a.usedBytes());
        assertEquals(5, a.mtimeNs());
        assertEquals(b.mtimeNs(), a.mtimeNs());
        assertEquals(77, a.atimeNs());
        assertEquals(b.nlink(), a.nlink());
        assertEquals(0, one.cuts());
    }

    @Test
    void aNumberIsOfItsSessionAndServesOnce() {
        Reserved numbers = reserve();
        bench.openSession();
        bench.fails(Errno.EINVAL, file("a", numbers.firstIno() - 1, NONE));
        bench.fails(Errno.EINVAL, file("a", numbers.firstIno() + numbers.count(), NONE));
        Reply refused = bench.as(2, file("a", numbers.firstIno(), NONE));
        assertEquals(Errno.EINVAL, assertInstanceOf(Reply.Failure.class, refused).errno());
        assertInstanceOf(Reply.EntryReply.class, bench.as(1, file("a", numbers.firstIno(), NONE)));
        bench.fails(Errno.EINVAL, file("b", numbers.firstIno(), NONE));
        assertNotEquals(numbers.firstIno(), reserve().firstIno());
    }

    @Test
    void aDirectoryUnderANumberIsAsAnyOther() {
        long ino = reserve().firstIno() + 7;
        var mkdir = new TreeMutation.Mkdir(dir, Name.of("numbered"), 0751, 3, 4);
        var make = new SessionMutation.MakeDirectory(mkdir, ino);
        Reply.EntryReply made = assertInstanceOf(Reply.EntryReply.class, bench.as(1, make));
        assertEquals(bench.inode(ino), made.inode());
        assertEquals(bench.inode(dir).directoryState(), made.parent());
        mkdir = new TreeMutation.Mkdir(dir, Name.of("other"), 0751, 3, 4);
        Reply.EntryReply usual = assertInstanceOf(Reply.EntryReply.class, bench.as(1, mkdir));
        Attributes a = made.inode().attributes();
        Attributes b = usual.inode().attributes();
        assertEquals(b.mode(), a.mode());
        assertEquals(b.uid(), a.uid());
        assertEquals(b.gid(), a.gid());
        assertEquals(b.size(), a.size());
        assertEquals(b.nlink(), a.nlink());
        assertEquals(usual.inode().policy(), made.inode().policy());
        assertEquals(4, bench.inode(dir).attributes().nlink());
        bench.fails(Errno.EEXIST, new SessionMutation.MakeDirectory(mkdir, ino + 1));
        mkdir = new TreeMutation.Mkdir(dir, Name.of("third"), 0751, 3, 4);
        bench.fails(Errno.EINVAL, new SessionMutation.MakeDirectory(mkdir, ino));
        assertInstanceOf(
                Reply.EntryReply.class,
                bench.as(1, new SessionMutation.MakeDirectory(mkdir, ino + 1)));
    }

    @Test
    void whatIsRefusedChangesNothing() {
        long ino = reserve().firstIno();
        bench.as(1, creation("there", TEXT));
        bench.fails(Errno.EEXIST, file("there", ino, NONE));
        bench.fails(Errno.EINVAL, file("a", ino, NONE.withSize(1)));
        bench.fails(Errno.EFBIG, new MakeFile(creation("a", new byte[5000]), ino, 1, NONE));
        Quota quota = new Quota(Sums.ZERO, new Sums(1, 0, 0), 60_000);
        bench.leader(new LeaderMutation.SetQuota(Account.user(5), quota, false));
        bench.as(1, new TreeMutation.Mkdir(ROOT, Name.of("of 5"), 0755, 5, 5));
        bench.fails(Errno.EDQUOT, file("a", ino, NONE.withUid(5)));
        assertNull(bench.namespace.inode(ino));
        assertInstanceOf(Reply.EntryReply.class, bench.as(1, file("a", ino, NONE)));
    }

    @Test
    void unusedNumbersAreLimited() {
        Reserved first = reserve();
        bench.as(1, creation("name", TEXT));
        for (int i = 1; i < 32; i++) {
            assertEquals(first.count(), reserve().count());
        }
        assertEquals(new Reserved(0, 0, false), reserve());
        Reply kept = bench.as(1, file("kept", first.firstIno(), NONE));
        assertInstanceOf(Reply.EntryReply.class, kept);
        long last = first.firstIno() + first.count() - 1;
        assertInstanceOf(Reply.EntryReply.class, bench.as(1, removal("name", last)));
        giveAllBack();
        assertEquals(first.count(), reserve().count());
    }

    private void giveAllBack() {
        var all = new SessionMutation.ReserveNumbers(SessionMutation.ReserveNumbers.ALL_BACK, true);
        assertInstanceOf(Reply.BytesReply.class, bench.as(1, all));
    }

    @Test
    void numbersAreGivenBack() {
        long ino = reserve().firstIno();
        giveAllBack();
        bench.reopen();
        bench.fails(Errno.EINVAL, file("a", ino, NONE));
    }

    @Test
    void numbersSurviveARestart() {
        Reserved numbers = reserve();
        for (int i = 0; i < numbers.count(); i++) {
            if (i == 100) {
                bench.reopen();
                bench.fails(Errno.EINVAL, file("again", numbers.firstIno() + 99, NONE));
            }
            Reply reply = bench.as(1, file("f" + i, numbers.firstIno() + i, NONE));
            assertInstanceOf(Reply.EntryReply.class, reply);
        }
        bench.fails(Errno.EINVAL, file("again", numbers.firstIno() + 99, NONE));
    }

    @Test
    void removalsAreDoneWithANumberUntilTheRightsAreTaken() {
        Reserved numbers = reserve();
        long last = numbers.firstIno() + numbers.count() - 1;
        bench.as(1, file("a", numbers.firstIno(), NONE));
        bench.as(1, file("b", numbers.firstIno() + 1, NONE));
        bench.fails(Errno.EINVAL, removal("a", numbers.firstIno()));
        bench.fails(Errno.ENOENT, removal("c", last));
        assertInstanceOf(Reply.EntryReply.class, bench.as(1, removal("a", last)));
        assertTrue(bench.namespace.sessions().getFirst().mayHaveRights());
        bench.leader(new LeaderMutation.TakeRights(1));
        bench.leader(new LeaderMutation.TakeRights(77));
        bench.reopen();
        bench.fails(Errno.EINVAL, removal("b", last));
        assertFalse(bench.namespace.sessions().getFirst().mayHaveRights());
        Reply late = bench.as(1, file("late", numbers.firstIno() + 2, NONE));
        assertInstanceOf(Reply.EntryReply.class, late);
        late = bench.as(1, file("late with the last number", last, NONE));
        assertInstanceOf(Reply.EntryReply.class, late);
        Reserved again = reserve();
        long next = again.firstIno() + again.count() - 1;
        assertInstanceOf(Reply.EntryReply.class, bench.as(1, removal("b", next)));
        assertTrue(bench.namespace.sessions().getFirst().mayHaveRights());
    }

    @Test
    void aDirectoryIsRemovedWithANumber() {
        Reserved numbers = reserve();
        long last = numbers.firstIno() + numbers.count() - 1;
        bench.as(1, new TreeMutation.Mkdir(dir, Name.of("sub"), 0755, 0, 0));
        bench.fails(Errno.EISDIR, removal("sub", last));
        var rmdir = new SessionMutation.RemoveEarly(dir, Name.of("sub"), true, last);
        assertInstanceOf(Reply.EntryReply.class, bench.as(1, rmdir));
    }

    private SessionMutation.RemoveEarly removal(String name, long number) {
        return new SessionMutation.RemoveEarly(dir, Name.of(name), false, number);
    }
}
