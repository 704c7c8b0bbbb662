package io.cairn.metadata.content;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Policy;
import io.cairn.fs.Name;
import io.cairn.fs.quota.Account;
import io.cairn.fs.quota.Quota;
import io.cairn.fs.quota.Sums;
import io.cairn.metadata.Bench;
import io.cairn.metadata.snapshot.SnapshotRecord;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.ContentMutation.SharingMutation.ShareChunks;
import io.cairn.wire.master.ContentMutation.SnapshotMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.TreeMutation;
import java.util.Objects;
import org.junit.jupiter.api.Test;

final class RangeCloneTest {
    private static final long CHUNK = 1L << Layout.STANDARD_CHUNK_SIZE_LOG2;

    private final Bench bench = Bench.withPools(1);

    private Inode fileInChunks(String name, long sizeBytes) {
        Inode file = bench.create(Bench.ROOT, name);
        long version = file.attributes().version();
        return bench.ok(new ContentMutation.Spill(file.ino(), version, sizeBytes, 0, sizeBytes))
                .inode();
    }

    private static Layout layout(Inode inode) {
        return Objects.requireNonNull(inode.layout());
    }

    private void cloned(Inode file, String name) {
        bench.leader(new SnapshotMutation.BeginClone(file.ino(), Bench.ROOT, Name.of(name)));
        finish();
    }

    private void finish() {
        SnapshotRecord begun = Objects.requireNonNull(bench.namespace.snapshotStatus().begun());
        assertEquals(
                new Reply.Done(),
                bench.leader(new SnapshotMutation.FinishSnapshot(begun.number())));
        assertNull(bench.namespace.snapshotStatus().begun());
    }

    /** A clone of another file has chunk servers refuse changes of all that exists. */
    private void fence(Inode target, Inode source) {
        Inode other = fileInChunks("other", CHUNK);
        Name name = Name.of("clone");
        bench.leader(new SnapshotMutation.BeginClone(other.ino(), Bench.ROOT, name));
        bench.fails(Errno.EAGAIN, wanted(target, source, 0, CHUNK));
        finish();
    }

    private ShareChunks wanted(Inode target, Inode source, long offset, long length) {
        long version = bench.inode(target.ino()).attributes().version();
        return new ShareChunks(target.ino(), version, source.ino(), offset, length);
    }

    private Inode share(Inode target, Inode source, long offset, long length) {
        Inode after = bench.ok(wanted(target, source, offset, length)).inode();
        bench.verify();
        return after;
    }

    @Test
    void anEmptyFileTakesAllChunks() {
        Inode file = fileInChunks("f", 2 * CHUNK + 5);
        Inode target = bench.create(Bench.ROOT, "t");
        bench.fails(Errno.EAGAIN, wanted(target, file, 0, 4 * CHUNK));
        fence(target, file);
        Inode after = share(target, file, 0, 4 * CHUNK);
        assertEquals(2 * CHUNK + 5, after.attributes().size());
        assertEquals(file.attributes().usedBytes(), after.attributes().usedBytes());
        assertNull(after.inline());
        long oid = layout(file).lastOid();
        assertEquals(layout(file).seed(), layout(after).seed());
        assertEquals(oid, layout(after).runOf(1).oid());
        assertNotEquals(oid, layout(after).lastOid());
        assertEquals(oid, layout(after).lastRun().sourceOid());
        assertEquals(5, layout(after).lastRun().sourceLengthBytes());
        assertEquals(file.layout(), bench.inode(file.ino()).layout());
        bench.unlink(Bench.ROOT, "f");
        bench.leader(new LeaderMutation.Purge(new long[] {file.ino()}));
        assertTrue(
                bench.namespace.garbage(0, 10).stream()
                        .noneMatch(each -> each.oid() == oid && each.fromChunk() < 2),
                "the last file keeps its chunks");
        bench.verify();
    }

    @Test
    void aRangeIsSharedPieceByPieceWithOneFence() {
        Inode file = fileInChunks("f", 5 * CHUNK);
        Inode target = bench.create(Bench.ROOT, "t");
        fence(target, file);
        Inode after = share(target, file, 0, 2 * CHUNK + 100);
        assertEquals(2 * CHUNK, after.attributes().size(), "whole chunks only");
        assertEquals(2 * CHUNK, after.attributes().usedBytes());
        after = share(target, file, 2 * CHUNK, 9 * CHUNK);
        assertEquals(5 * CHUNK, after.attributes().size());
        assertEquals(5 * CHUNK, after.attributes().usedBytes());
        assertEquals(2, layout(after).runs().size(), "one run of the other file");
        assertEquals(5, layout(after).lastRun().firstChunk());
    }

    @Test
    void filesThatCannotShareAreRefused() {
        Inode file = fileInChunks("f", 3 * CHUNK);
        Inode empty = bench.create(Bench.ROOT, "e");
        Inode own = fileInChunks("o", CHUNK);
        Inode other = bench.create(Bench.ROOT, "p");
        bench.ok(new TreeMutation.SetPolicy(other.ino(), new Policy(0, 20, -1)));
        fence(empty, file);
        bench.fails(Errno.EOPNOTSUPP, wanted(own, file, CHUNK, CHUNK));
        bench.fails(Errno.EOPNOTSUPP, wanted(other, file, 0, CHUNK));
        bench.fails(Errno.EOPNOTSUPP, wanted(empty, file, 0, CHUNK - 1));
        bench.fails(Errno.EOPNOTSUPP, wanted(empty, file, CHUNK, CHUNK));
        bench.fails(Errno.EOPNOTSUPP, wanted(empty, file, 3 * CHUNK, CHUNK));
        bench.fails(Errno.EOPNOTSUPP, wanted(empty, file, -1, CHUNK));
        bench.fails(Errno.EOPNOTSUPP, wanted(empty, file, 0, -CHUNK));
        bench.fails(Errno.EOPNOTSUPP, wanted(empty, file, 0, 0));
        bench.fails(Errno.EOPNOTSUPP, wanted(file, file, 0, CHUNK));
        bench.fails(Errno.EOPNOTSUPP, wanted(file, empty, 0, CHUNK));
        long past = empty.attributes().version() - 1;
        bench.fails(Errno.ESTALE, new ShareChunks(empty.ino(), past, file.ino(), 0, CHUNK));
        assertEquals(CHUNK, share(empty, file, 0, CHUNK).attributes().size());
    }

    private ShareChunks question(Inode target, Inode source) {
        return new ShareChunks(target.ino(), 0, source.ino(), 0, CHUNK);
    }

    @Test
    void whoAsksHearsWhetherASnapshotHasTheChunks() {
        Inode file = fileInChunks("f", 2 * CHUNK);
        Inode target = bench.create(Bench.ROOT, "t");
        bench.fails(Errno.EAGAIN, question(target, file));
        bench.leader(new SnapshotMutation.BeginSnapshot(Bench.ROOT, Name.of("s")));
        bench.fails(Errno.EAGAIN, question(target, file));
        finish();
        Inode before = bench.inode(target.ino());
        assertEquals(new Reply.Done(), bench.as(1, question(target, file)));
        assertEquals(before.attributes(), bench.inode(target.ino()).attributes());
        Inode late = fileInChunks("late", 2 * CHUNK);
        bench.fails(Errno.EAGAIN, question(target, late));
        assertEquals(2 * CHUNK, share(target, file, 0, 2 * CHUNK).attributes().size());
    }

    @Test
    void whatNoSnapshotWouldHelpIsToldFirst() {
        Inode file = fileInChunks("f", 2 * CHUNK);
        Inode other = bench.create(Bench.ROOT, "p");
        bench.ok(new TreeMutation.SetPolicy(other.ino(), new Policy(0, 20, -1)));
        bench.fails(Errno.EOPNOTSUPP, question(other, file));
        long dir = bench.mkdir(Bench.ROOT, "d").ino();
        Inode target = bench.create(dir, "t");
        Quota quota = new Quota(Sums.ZERO, new Sums(0, CHUNK - 1, 0), 60_000);
        bench.leader(new LeaderMutation.SetQuota(Account.directory(dir), quota, false));
        bench.fails(Errno.EDQUOT, question(target, file));
        bench.fails(Errno.EAGAIN, question(bench.create(Bench.ROOT, "t"), file));
    }

    /** The last place for a user of the chunks is that of a file which has some already. */
    @Test
    void aFileThatSharesGoesOnWhenThereIsNoPlaceForAnother() {
        Inode file = fileInChunks("f", 2 * CHUNK);
        for (int users = 1; users < SharedObjects.MAX_USERS - 1; users++) {
            cloned(file, "c" + users);
        }
        Inode target = bench.create(Bench.ROOT, "t");
        share(target, file, 0, CHUNK);
        bench.fails(Errno.EMLINK, question(bench.create(Bench.ROOT, "more"), file));
        assertEquals(2 * CHUNK, share(target, file, CHUNK, CHUNK).attributes().size());
    }
}
