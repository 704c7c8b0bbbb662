package io.cairn.metadata.usage;

import static io.cairn.metadata.Bench.ROOT;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.cluster.Inode;
import io.cairn.cluster.Policy;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.quota.Account;
import io.cairn.fs.quota.Sums;
import io.cairn.metadata.Bench;
import io.cairn.metadata.state.Store.Family;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.TreeMutation;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class UsageTableTest {
    private final Bench bench = Bench.withPools(2, 3);

    private Sums below(long directory) {
        bench.verify();
        return bench.namespace.accounts().sums(Account.directory(directory));
    }

    private static Sums sums(long inodes, long lengthBytes, long spaceBytes) {
        return new Sums(inodes, lengthBytes, spaceBytes);
    }

    @Test
    void whatIsMadeCountsUpToTheRoot() {
        long a = bench.mkdir(ROOT, "a").ino();
        long b = bench.mkdir(a, "b").ino();
        bench.create(b, "f", "four");
        assertEquals(sums(1, 4, 512), below(b));
        assertEquals(sums(2, 4, 512), below(a));
        assertEquals(sums(3, 4, 512), below(ROOT));
        bench.unlink(b, "f");
        bench.ok(new TreeMutation.Rmdir(a, Name.of("b")));
        assertEquals(Sums.ZERO, below(a));
        assertEquals(sums(1, 0, 0), below(ROOT));
    }

    @Test
    void chunksCountOnceForEachCopy() {
        long dir = bench.mkdir(ROOT, "d").ino();
        bench.ok(new TreeMutation.SetPolicy(dir, new Policy(3, 16, 1)));
        Inode file = bench.create(dir, "f");
        long version = file.attributes().version();
        Inode spilled =
                bench.ok(new ContentMutation.Spill(file.ino(), version, 5000, 1, 8192)).inode();
        assertEquals(sums(1, 5000, 3 * 8192), below(dir));
        long oid = Objects.requireNonNull(spilled.layout()).lastOid();
        bench.ok(new ContentMutation.CommitSize(file.ino(), oid, 9000, 1, 4096));
        assertEquals(sums(1, 9000, 3 * 12_288), below(dir));
        bench.truncate(file.ino(), 100);
        assertEquals(sums(1, 100, 3 * 4096), below(dir));
        bench.truncate(file.ino(), 0);
        assertEquals(sums(1, 0, 0), below(dir));
    }

    @Test
    void aTreeTakesItsSumsAlong() {
        long from = bench.mkdir(ROOT, "from").ino();
        long to = bench.mkdir(bench.mkdir(ROOT, "up").ino(), "to").ino();
        long tree = bench.mkdir(from, "tree").ino();
        bench.create(bench.mkdir(tree, "deep").ino(), "f", "12345678");
        bench.rename(from, "tree", to, "moved");
        assertEquals(Sums.ZERO, below(from));
        assertEquals(sums(3, 8, 512), below(to));
        long other = bench.mkdir(from, "other").ino();
        bench.create(other, "g", "1");
        int exchange = FileSystem.RENAME_EXCHANGE;
        bench.ok(Bench.renaming(from, "other", to, "moved", exchange));
        assertEquals(sums(3, 8, 512), below(from));
        assertEquals(sums(2, 1, 512), below(to));
    }

    @Test
    void aFileWithSeveralNamesIsChargedToItsHome() {
        long a = bench.mkdir(ROOT, "a").ino();
        long b = bench.mkdir(ROOT, "b").ino();
        long file = bench.create(a, "f", "1234").ino();
        bench.ok(new TreeMutation.Link(file, b, Name.of("g")));
        assertEquals(sums(1, 4, 512), below(a));
        assertEquals(Sums.ZERO, below(b));
        bench.unlink(a, "f");
        assertEquals(Sums.ZERO, below(a));
        assertEquals(sums(1, 4, 512), below(b));
        bench.unlink(b, "g");
        assertEquals(Sums.ZERO, below(b));
    }

    @Test
    void ownersHaveWhatTheyOwn() {
        long file = bench.create(ROOT, "f", "1234").ino();
        assertEquals(sums(1, 4, 512), bench.namespace.accounts().sums(Account.user(10)));
        bench.change(file, AttributeChange.NONE.withUid(-2).withGid(7));
        bench.verify();
        assertEquals(Sums.ZERO, bench.namespace.accounts().sums(Account.user(10)));
        assertEquals(Sums.ZERO, bench.namespace.accounts().sums(Account.group(20)));
        assertEquals(sums(1, 4, 512), bench.namespace.accounts().sums(Account.user(-2)));
        assertEquals(sums(1, 4, 512), bench.namespace.accounts().sums(Account.group(7)));
    }

    @Test
    void aTreeThatMovesWithinOneEntryTakesAllAlong() {
        long a = bench.mkdir(ROOT, "a").ino();
        long b = bench.mkdir(ROOT, "b").ino();
        long tree = bench.mkdir(a, "t").ino();
        List<Envelope> entry = new ArrayList<>();
        entry.add(bench.envelope(1, Bench.creation(tree, "f", "12")));
        entry.add(bench.envelope(1, Bench.renaming(a, "t", b, "t", 0)));
        entry.add(bench.envelope(1, Bench.creation(tree, "g", "345")));
        entry.add(bench.envelope(1, new TreeMutation.Unlink(tree, Name.of("f"))));
        bench.applyEntry(Bench.entry(entry.toArray(new Envelope[0])));
        assertEquals(Sums.ZERO, below(a));
        assertEquals(sums(2, 3, 512), below(b));
        int stored = bench.store.size(Family.USAGE);
        bench.reopen();
        assertEquals(sums(1, 3, 512), below(tree));
        // The root, b, t; user 10 and group 20; user 0 and group 0, who own the root.
        assertEquals(7, stored);
    }
}
