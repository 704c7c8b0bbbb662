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
import io.cairn.metadata.Bench;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.ContentMutation.SharingMutation.ShareChunks;
import io.cairn.wire.master.TreeMutation;
import java.util.List;
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
