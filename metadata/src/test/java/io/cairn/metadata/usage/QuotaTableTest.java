package io.cairn.metadata.usage;

import static io.cairn.metadata.Bench.ROOT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.quota.Account;
import io.cairn.fs.quota.LimitedAccount;
import io.cairn.fs.quota.Quota;
import io.cairn.fs.quota.Sums;
import io.cairn.metadata.Bench;
import io.cairn.metadata.state.Notice;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Push;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.TreeMutation;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class QuotaTableTest {
    private static final long SECOND_NS = 1_000_000_000L;

    private final Bench bench = Bench.withPools(1);
    private final long dir = bench.mkdir(ROOT, "d").ino();
    private final Account account = Account.directory(dir);

    private Reply set(Account of, Sums soft, Sums hard, boolean strict) {
        return bench.leader(new LeaderMutation.SetQuota(of, new Quota(soft, hard, 60_000), strict));
    }

    private void limit(Account of, long inodes, long lengthBytes, long spaceBytes) {
        Sums hard = new Sums(inodes, lengthBytes, spaceBytes);
        assertInstanceOf(Reply.Done.class, set(of, Sums.ZERO, hard, false));
    }

    private static Errno errno(Reply reply) {
        return assertInstanceOf(Reply.Failure.class, reply).errno();
    }

    private static TreeMutation.Mkdir making(long parent, String name) {
        return new TreeMutation.Mkdir(parent, Name.of(name), 0755, 10, 20);
    }

    private static ContentMutation.WriteInline writing(long ino, int length) {
        ContentMutation.Patch patch = new ContentMutation.Patch(0, ByteBuffer.allocate(length));
        return new ContentMutation.WriteInline(ino, 0, List.of(patch), 0, 1);
    }

    @Test
    void nothingIsMadeBeyondTheHardLimitOfAnyDirectoryAbove() {
        limit(account, 3, 0, 0);
        long sub = bench.mkdir(dir, "sub").ino();
        long file = bench.create(sub, "f").ino();
        limit(Account.directory(sub), 2, 0, 0);
        bench.create(sub, "g");
        bench.fails(Errno.EDQUOT, Bench.creation(sub, "h", ""));
        bench.fails(Errno.EDQUOT, making(dir, "h"));
        byte[] target = {'x'};
        bench.fails(Errno.EDQUOT, new TreeMutation.Symlink(dir, Name.of("h"), target, 0, 0));
        bench.ok(new TreeMutation.Link(file, dir, Name.of("another name costs nothing")));
        bench.unlink(sub, "g");
        bench.mkdir(dir, "h");
        bench.verify();
    }

    @Test
    void bytesAreLimited() {
        limit(account, 0, 1000, 1024);
        long file = bench.create(dir, "f", "x".repeat(600)).ino();
        bench.fails(Errno.EDQUOT, Bench.creation(dir, "g", "x".repeat(401)));
        bench.fails(
                Errno.EDQUOT,
                new TreeMutation.SetAttributes(file, AttributeChange.NONE.withSize(1001)));
        bench.write(writing(file, 1000));
        bench.truncate(file, 10);
        bench.create(dir, "g", "x".repeat(500));
        bench.fails(Errno.EDQUOT, Bench.creation(dir, "h", "x"));
        bench.create(dir, "empty");
        bench.verify();
    }

    /** The master has allowed it before it was taken from an application. */
    @Test
    void whatWasTakenIsNotRefusedAtTheEnd() {
        limit(account, 0, 1000, 0);
        long file = bench.create(dir, "f").ino();
        bench.create(dir, "meanwhile", "x".repeat(900));
        bench.write(writing(file, 600));
        assertEquals(1500, only().used().lengthBytes());
        bench.fails(Errno.EDQUOT, Bench.creation(dir, "h", "x"));
        bench.verify();
    }

    @Test
    void nothingMovesIntoAFullDirectory() {
        limit(account, 2, 0, 0);
        long other = bench.mkdir(ROOT, "other").ino();
        bench.create(bench.mkdir(other, "tree").ino(), "a");
        bench.create(other, "f");
        bench.create(dir, "there");
        bench.fails(Errno.EDQUOT, Bench.renaming(other, "tree", dir, "tree", 0));
        bench.rename(other, "f", dir, "f");
        bench.rename(dir, "f", dir, "g");
        int exchange = FileSystem.RENAME_EXCHANGE;
        bench.fails(Errno.EDQUOT, Bench.renaming(other, "tree", dir, "g", exchange));
        bench.fails(Errno.EDQUOT, Bench.renaming(dir, "g", other, "tree", exchange));
        bench.rename(dir, "g", other, "g");
        bench.verify();
    }

    private Reply swap(long one, long other) {
        return bench.as(
                1,
                new ContentMutation.SwapContents(
                        one,
                        bench.inode(one).attributes().version(),
                        other,
                        bench.inode(other).attributes().version()));
    }

    @Test
    void exchangedContentsCountForTheDifference() {
        limit(account, 0, 1000, 0);
        long small = bench.create(dir, "small", "x".repeat(400)).ino();
        long full = bench.create(dir, "full", "x".repeat(600)).ino();
        long outside = bench.create(ROOT, "outside", "x".repeat(401)).ino();
        assertEquals(Errno.EDQUOT, errno(swap(small, outside)));
        assertEquals(Errno.EDQUOT, errno(swap(outside, small)));
        assertEquals(400, bench.inode(small).attributes().size());
        assertInstanceOf(Reply.EntryReply.class, swap(small, full));
        assertInstanceOf(Reply.EntryReply.class, swap(small, outside));
        assertEquals(401, bench.inode(small).attributes().size());
        assertEquals(801, only().used().lengthBytes());
        bench.verify();
    }

    @Test
    void usersAndGroupsAreLimited() {
        limit(Account.user(10), 2, 0, 0);
        bench.create(ROOT, "f");
        bench.fails(Errno.EDQUOT, Bench.creation(ROOT, "g", ""));
        limit(Account.group(20), 2, 0, 0);
        bench.fails(Errno.EDQUOT, making(ROOT, "g"));
        bench.unlink(ROOT, "f");
        bench.mkdir(ROOT, "g");
        bench.verify();
    }

    @Test
    void whatIsGivenAwayCountsForWhoGetsIt() {
        long file = bench.create(ROOT, "f", "1234").ino();
        limit(Account.user(11), 0, 3, 0);
        limit(Account.group(21), 0, 4, 0);
        bench.fails(
                Errno.EDQUOT,
                new TreeMutation.SetAttributes(file, AttributeChange.NONE.withUid(11)));
        bench.change(file, AttributeChange.NONE.withGid(21));
        bench.fails(
                Errno.EDQUOT,
                new TreeMutation.SetAttributes(file, AttributeChange.NONE.withSize(5)));
        bench.verify();
    }

    @Test
    void aSoftLimitHoldsAfterItsGraceTime() {
        set(account, new Sums(1, 0, 0), new Sums(3, 0, 0), false);
        bench.create(dir, "a");
        assertEquals(0, only().sinceNs());
        bench.create(dir, "b");
        assertEquals(bench.nowNs, only().sinceNs());
        assertEquals("soft", only().state(bench.nowNs));
        bench.nowNs += 59 * SECOND_NS;
        bench.create(dir, "c");
        assertEquals("full", only().state(bench.nowNs));
        bench.unlink(dir, "c");
        bench.nowNs += SECOND_NS;
        assertEquals("graceOver", only().state(bench.nowNs));
        bench.fails(Errno.EDQUOT, Bench.creation(dir, "c", ""));
        bench.reopen();
        bench.unlink(dir, "a");
        assertEquals(0, only().sinceNs());
        bench.create(dir, "c");
        bench.verify();
    }

    private LimitedAccount only() {
        List<LimitedAccount> all = bench.namespace.accounts().limited();
        assertEquals(1, all.size());
        return all.getFirst();
    }

    @Test
    void aQuotaBelowWhatIsUsedIsTakenUnlessStrict() {
        bench.create(dir, "f");
        bench.create(dir, "g");
        Sums one = new Sums(1, 0, 0);
        assertEquals(Errno.EDQUOT, errno(set(account, Sums.ZERO, one, true)));
        assertTrue(bench.namespace.accounts().limited().isEmpty());
        limit(account, 1, 0, 0);
        bench.fails(Errno.EDQUOT, Bench.creation(dir, "h", ""));
        bench.unlink(dir, "f");
        bench.fails(Errno.EDQUOT, Bench.creation(dir, "h", ""));
        bench.unlink(dir, "g");
        bench.create(dir, "h");
    }

    @Test
    void badQuotasAreRefused() {
        Sums one = new Sums(1, 0, 0);
        assertEquals(Errno.EINVAL, errno(set(account, new Sums(2, 0, 0), one, false)));
        assertEquals(Errno.EINVAL, errno(set(account, Sums.ZERO, new Sums(-1, 0, 0), false)));
        assertEquals(Errno.ENOENT, errno(set(Account.directory(4711), Sums.ZERO, one, false)));
        long file = bench.create(dir, "f").ino();
        assertEquals(Errno.ENOENT, errno(set(Account.directory(file), Sums.ZERO, one, false)));
    }

    @Test
    void quotasEndWithTheirDirectoriesAndAreTold() {
        assertEquals(0, bench.namespace.accounts().quotaVersion());
        limit(account, 5, 0, 0);
        long version = bench.namespace.accounts().quotaVersion();
        assertNotEquals(0, version);
        assertEquals(List.of(new Notice(0, new Push.QuotasChanged(version))), bench.notices);
        bench.reopen();
        assertNotEquals(0, bench.namespace.accounts().quotaVersion());
        assertEquals(List.of(account), accounts(bench.mkdir(dir, "sub").ino()));
        assertFalse(accounts(dir).isEmpty());
        assertEquals(List.of(), accounts(ROOT));
        bench.ok(new TreeMutation.Rmdir(dir, Name.of("sub")));
        bench.ok(new TreeMutation.Rmdir(ROOT, Name.of("d")));
        assertEquals(0, bench.namespace.accounts().quotaVersion());
        assertTrue(bench.namespace.accounts().limited().isEmpty());
        bench.verify();
    }

    private List<Account> accounts(long ino) {
        return bench.namespace.accounts().limiting(ino).stream()
                .map(LimitedAccount::account)
                .toList();
    }

    /** Whatever is done, no sum goes above its hard limit. */
    @Test
    void noLimitIsEverPassed() {
        Random random = new Random(42);
        long[] dirs = new long[6];
        dirs[0] = dir;
        for (int i = 1; i < dirs.length; i++) {
            dirs[i] = bench.mkdir(dirs[(i - 1) / 2], "d" + i).ino();
        }
        for (int i = 0; i < dirs.length; i++) {
            limit(Account.directory(dirs[i]), 12 - i, 3000 - 300 * i, 8192 - 512 * i);
        }
        int refused = 0;
        for (int i = 0; i < 2000; i++) {
            long from = dirs[random.nextInt(dirs.length)];
            long to = dirs[random.nextInt(dirs.length)];
            String name = "n" + random.nextInt(4);
            String other = "n" + random.nextInt(4);
            Reply reply =
                    bench.as(
                            1,
                            switch (random.nextInt(6)) {
                                case 0, 1 ->
                                        Bench.creation(from, name, "x".repeat(random.nextInt(900)));
                                case 2 -> new TreeMutation.Unlink(from, Name.of(name));
                                case 3 -> Bench.renaming(from, name, to, other, 0);
                                case 4 ->
                                        Bench.renaming(
                                                from, name, to, other, FileSystem.RENAME_EXCHANGE);
                                default ->
                                        Bench.renaming(
                                                from, "d" + random.nextInt(6), to, "d" + i % 6, 0);
                            });
            refused += reply instanceof Reply.Failure f && f.errno() == Errno.EDQUOT ? 1 : 0;
            for (LimitedAccount each : bench.namespace.accounts().limited()) {
                assertFalse(Quota.isAbove(each.used(), each.quota().hard()), each::toString);
            }
        }
        assertTrue(refused > 50, "refused " + refused);
        bench.verify();
    }
}
