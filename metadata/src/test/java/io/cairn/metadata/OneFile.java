package io.cairn.metadata;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Policy;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.TreeMutation;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** A bench with pools and a file {@code f} with small contents in small chunks. */
public class OneFile {
    public static final long CHUNK = 1L << 16;
    public static final long END = Long.MAX_VALUE;

    public final Bench bench = Bench.withPools(2);
    public final long ino;

    public OneFile() {
        bench.ok(new TreeMutation.SetPolicy(Bench.ROOT, new Policy(0, 16, -1)));
        ino = bench.create(Bench.ROOT, "f", "hello").ino();
    }

    @AfterEach
    public void invariantsHold() {
        bench.verify();
    }

    public Layout layout() {
        Layout layout = bench.inode(ino).layout();
        assertNotNull(layout);
        return layout;
    }

    /** The last object of the file. */
    public long oid() {
        return layout().lastOid();
    }

    public Inode spill(long size) {
        long version = bench.inode(ino).attributes().version();
        return bench.ok(new ContentMutation.Spill(ino, version, size, 4242, size)).inode();
    }

    /** The queue of garbage: {@code OID[FROM,END)}. */
    public List<String> garbage() {
        return bench.namespace.garbage(0, 100).stream()
                .map(
                        task ->
                                task.oid()
                                        + "["
                                        + task.fromChunk()
                                        + ","
                                        + (task.endChunk() == END ? "end" : task.endChunk())
                                        + ")")
                .toList();
    }
}
