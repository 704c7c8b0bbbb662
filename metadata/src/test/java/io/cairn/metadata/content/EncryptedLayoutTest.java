package io.cairn.metadata.content;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Labels;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Policy;
import io.cairn.cluster.Policy.Compression;
import io.cairn.cluster.Pool;
import io.cairn.fs.Name;
import io.cairn.metadata.Bench;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.ContentMutation.SharingMutation.ShareChunks;
import io.cairn.wire.master.ContentMutation.SnapshotMutation;
import io.cairn.wire.master.InodeEdit;
import io.cairn.wire.master.JobMutation;
import io.cairn.wire.master.TreeMutation;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Files of policies with a key go to pools with this key, and never into inodes. */
final class EncryptedLayoutTest {
    private static final long ROOT = Bench.ROOT;
    private static final Policy TWO = new Policy(2, 0, -1);

    private static int pool(Inode file) {
        Layout layout = file.layout();
        return layout == null ? -1 : layout.lastRun().poolId();
    }

    private static Pool pool(int replicas, Compression compression, int key) {
        Pool.Kind kind = new Pool.Kind(compression, Labels.Expression.ANY, key);
        return new Pool(1, replicas, 1, 1, kind);
    }

    @Test
    void aPoolWithTheKeyOrNone() {
        ClusterMap map =
                LayoutChoiceTest.kinds(
                        pool(2, Compression.NONE, 0),
                        pool(1, Compression.NONE, 7),
                        pool(2, Compression.NONE, 7),
                        pool(2, Compression.ZSTD, 7),
                        pool(2, Compression.NONE, 8),
                        pool(2, Compression.NONE, 0));
        Bench bench = new Bench();
        bench.changeMap(map);
        bench.ok(new TreeMutation.SetPolicy(ROOT, TWO.withKey(7)));
        Inode file = bench.create(ROOT, "seven");
        assertEquals(7, file.policy().key());
        assertEquals(3, pool(file));
        bench.ok(new TreeMutation.SetPolicy(ROOT, TWO.withKey(7).with(Compression.ZSTD)));
        assertEquals(4, pool(bench.create(ROOT, "packed")));
        bench.ok(new TreeMutation.SetPolicy(ROOT, TWO.withKey(8).with(Compression.ZSTD)));
        assertEquals(5, pool(bench.create(ROOT, "unpacked")), "the key before the compression");
        bench.ok(new TreeMutation.SetPolicy(ROOT, TWO.withKey(9)));
        assertEquals(0, pool(bench.create(ROOT, "none")), "no pool, never a plain one");
        bench.ok(new TreeMutation.SetPolicy(ROOT, TWO));
        assertEquals(6, pool(bench.create(ROOT, "plain")));
        Inode empty = bench.create(ROOT, "empty");
        assertEquals(6, pool(empty));
        bench.ok(new TreeMutation.SetPolicy(empty.ino(), TWO.withKey(9)));
        assertEquals(0, pool(bench.inode(empty.ino())), "it leaves the plain one");
        bench.ok(new TreeMutation.SetPolicy(empty.ino(), TWO.withKey(8)));
        assertEquals(5, pool(bench.inode(empty.ino())));
        Layout layout = file.layout();
        assertNotNull(layout);
        assertTrue(LayoutChoice.satisfies(map, 1, layout, TWO.withKey(7)));
        assertFalse(LayoutChoice.satisfies(map, 1, layout, TWO));
        assertFalse(LayoutChoice.satisfies(map, 1, layout, TWO.withKey(8)));
    }

    @Test
    void plainChunksAreNotSharedWithAnEncryptedFile() {
        Bench bench = new Bench();
        bench.changeMap(
                LayoutChoiceTest.kinds(pool(2, Compression.NONE, 0), pool(2, Compression.NONE, 7)));
        long bytes = 1L << Layout.STANDARD_CHUNK_SIZE_LOG2;
        Inode plain = bench.create(ROOT, "plain");
        long version = plain.attributes().version();
        bench.ok(new ContentMutation.Spill(plain.ino(), version, bytes, 0, bytes));
        Inode other = bench.create(ROOT, "other");
        bench.fails(Errno.EAGAIN, shared(other, plain, bytes));
        bench.ok(new TreeMutation.SetPolicy(ROOT, TWO.withKey(7)));
        Inode secret = bench.create(ROOT, "secret");
        bench.fails(Errno.EOPNOTSUPP, shared(secret, plain, bytes));
        bench.ok(new TreeMutation.SetPolicy(other.ino(), TWO.withKey(7)));
        bench.fails(Errno.EOPNOTSUPP, shared(bench.inode(other.ino()), plain, bytes));
        bench.fails(Errno.ESTALE, new TreeMutation.SetPolicy(plain.ino(), TWO.withKey(7)));
    }

    private static ShareChunks shared(Inode target, Inode source, long bytes) {
        long version = target.attributes().version();
        return new ShareChunks(target.ino(), version, source.ino(), 0, bytes);
    }

    private static Layout layout(Bench bench, long ino) {
        return Objects.requireNonNull(bench.inode(ino).layout());
    }

    private static List<String> garbage(Bench bench) {
        return bench.namespace.garbage(0, 100).stream()
                .map(
                        task ->
                                "pool %d object %d from %d"
                                        .formatted(task.poolId(), task.oid(), task.fromChunk()))
                .toList();
    }

    private static String allOf(Layout layout) {
        return "pool %d object %d from 0".formatted(layout.lastRun().poolId(), layout.lastOid());
    }

    /** A client that moves the contents may have stored plain chunks, and not have told so. */
    @Test
    void aNewPolicyOfContentsInTheInodeReleasesTheObjectInTheFormerPool() {
        Bench bench = new Bench();
        bench.changeMap(
                LayoutChoiceTest.kinds(pool(2, Compression.NONE, 0), pool(2, Compression.NONE, 7)));
        long ino = bench.create(ROOT, "f", "hello").ino();
        Layout plain = layout(bench, ino);
        bench.ok(new TreeMutation.SetPolicy(ino, TWO));
        assertEquals(plain, layout(bench, ino), "the same place");
        assertEquals(List.of(), garbage(bench));
        bench.ok(new TreeMutation.SetPolicy(ino, TWO.withKey(7)));
        Layout encrypted = layout(bench, ino);
        assertEquals(2, encrypted.lastRun().poolId());
        assertTrue(encrypted.lastOid() > plain.lastOid());
        assertEquals(List.of(allOf(plain)), garbage(bench));
        bench.ok(new TreeMutation.SetPolicy(ino, TWO.withKey(9)));
        Layout nowhere = layout(bench, ino);
        assertFalse(nowhere.hasPool());
        bench.ok(new TreeMutation.SetPolicy(ino, TWO));
        assertEquals(1, layout(bench, ino).lastRun().poolId());
        assertEquals(List.of(allOf(plain), allOf(encrypted)), garbage(bench));
        bench.verify();
    }

    /** Chunks of another size would be looked for elsewhere, under the same object. */
    @Test
    void anEditOfTheChunkSizeReleasesTheObjectToo() {
        Bench bench = Bench.withPools(2);
        long ino = bench.create(ROOT, "f", "hello").ino();
        Layout before = layout(bench, ino);
        InodeEdit edit = InodeEdit.policy(InodeEdit.CHUNK_SIZE, new Policy(0, 16, -1));
        bench.leader(new JobMutation.EditInode(ino, 0, edit));
        Layout after = layout(bench, ino);
        assertEquals(16, after.chunkSizeLog2());
        assertTrue(after.lastOid() > before.lastOid());
        assertEquals(List.of(allOf(before)), garbage(bench));
        bench.verify();
    }

    /** A client moves the contents, and a chunk of them was stored where no snapshot has it. */
    @Test
    void chunksThatWereRenewedLeaveAPlainPoolWithTheRest() {
        Bench bench = new Bench();
        bench.changeMap(
                LayoutChoiceTest.kinds(
                        pool(2, Compression.NONE, 0),
                        pool(2, Compression.NONE, 7),
                        pool(1, Compression.NONE, 0)));
        long ino = bench.create(ROOT, "f", "hello").ino();
        bench.leader(new SnapshotMutation.BeginSnapshot(ROOT, Name.of("s")));
        int number = Objects.requireNonNull(bench.namespace.snapshotStatus().begun()).number();
        bench.leader(new SnapshotMutation.FinishSnapshot(number));
        long first = layout(bench, ino).lastOid();
        bench.ok(new ContentMutation.RenewChunks(ino, new long[] {0}, new long[] {first}));
        Layout renewed = layout(bench, ino);
        assertEquals(2, renewed.runs().size());
        bench.ok(new TreeMutation.SetPolicy(ino, new Policy(1, 0, -1)));
        assertEquals(renewed, layout(bench, ino), "plain is as good as plain");
        bench.ok(new TreeMutation.SetPolicy(ino, TWO.withKey(7)));
        Layout encrypted = layout(bench, ino);
        assertEquals(1, encrypted.runs().size());
        assertEquals(2, encrypted.lastRun().poolId());
        bench.leader(new SnapshotMutation.DropSnapshot(number));
        while (bench.namespace.snapshotStatus().isSweeping()) {
            bench.leader(new SnapshotMutation.SweepHistory(1000));
        }
        Set<Long> gone = new HashSet<>();
        bench.namespace.garbage(0, 100).forEach(task -> gone.add(task.oid()));
        renewed.runs().forEach(run -> assertTrue(gone.contains(run.oid()), run + " stays"));
        bench.verify();
    }

    @Test
    void contentsDoNotStayInTheInode() {
        Bench bench = new Bench();
        bench.changeMap(LayoutChoiceTest.kinds(pool(2, Compression.NONE, 7)));
        bench.ok(new TreeMutation.SetPolicy(ROOT, TWO.withKey(7)));
        long ino = bench.create(ROOT, "f").ino();
        bench.fails(
                Errno.EFBIG,
                new ContentMutation.WriteInline(
                        ino,
                        bench.inode(ino).cuts(),
                        List.of(new ContentMutation.Patch(0, new byte[] {1})),
                        1,
                        5));
        bench.ok(new TreeMutation.SetPolicy(ROOT, TWO.withKey(7).withInline(4096)));
        assertEquals(0, bench.create(ROOT, "g").policy().inlineLimitBytes(4096));
    }
}
