package io.cairn.metadata.content;

import static io.cairn.metadata.Bench.ROOT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.cairn.cluster.Layout;
import io.cairn.metadata.OneFile;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.LeaderMutation;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What lost clients left of files that are still in their inodes becomes garbage (I11). */
class DoubtfulObjectsTest extends OneFile {
    private final long lost = bench.openSession();

    private void lose(long... inos) {
        bench.leader(new LeaderMutation.LoseSession(lost, inos, true));
    }

    private void renew(long oid) {
        bench.leader(
                new LeaderMutation.RenewObjects(
                        List.of(new LeaderMutation.RenewObjects.Holding(ino, oid))));
    }

    private void remove(long... inos) {
        bench.leader(new LeaderMutation.Purge(inos));
    }

    private List<Long> doubtful() {
        return bench.namespace.doubtful(Long.MAX_VALUE, 100);
    }

    @Test
    void aFileThatALostClientHadOpenGetsAnotherObject() {
        long first = oid();
        lose(ino, ROOT, 4711);
        assertEquals(List.of(ino), doubtful());
        assertEquals(List.of(), bench.namespace.doubtful(bench.nowNs, 100));
        bench.reopen();
        renew(first + 1);
        assertEquals(first, oid());
        renew(first);
        assertNotEquals(first, oid());
        assertEquals(List.of(first + "[0,end)"), garbage());
        assertEquals(List.of(), doubtful());
        renew(oid());
        assertEquals(1, garbage().size());
        assertNotNull(bench.inode(ino).inline());
    }

    @Test
    void aFileThatWentToItsObjectKeepsIt() {
        long first = oid();
        lose(ino);
        spill(3 * CHUNK);
        assertEquals(List.of(), doubtful());
        renew(first);
        assertEquals(first, oid());
        bench.truncate(ino, 0);
        assertEquals(List.of(first + "[0,end)"), garbage());
    }

    @Test
    void aRemovedFileTakesItsObjectAlong() {
        long first = oid();
        long other = bench.create(ROOT, "g", "small").ino();
        lose(ino);
        bench.unlink(ROOT, "f");
        bench.unlink(ROOT, "g");
        remove(ino, other);
        assertEquals(List.of(first + "[0,end)"), garbage());
        assertEquals(List.of(), doubtful());
    }

    @Test
    void extendingAnEmptyFileTakesItsObjectAlong() {
        bench.truncate(ino, 0);
        long first = oid();
        lose(ino);
        bench.truncate(ino, 3 * CHUNK);
        assertEquals(List.of(first + "[0,end)"), garbage());
        assertEquals(List.of(), doubtful());
    }

    @Test
    void theObjectIsKnownByTheFileThatHasItAfterAnExchange() {
        long first = oid();
        long other = bench.create(ROOT, "g", "small").ino();
        lose(ino);
        bench.ok(
                new ContentMutation.SwapContents(
                        ino,
                        bench.inode(ino).attributes().version(),
                        other,
                        bench.inode(other).attributes().version()));
        assertEquals(List.of(other), doubtful());
        bench.unlink(ROOT, "f");
        bench.unlink(ROOT, "g");
        remove(ino, other);
        assertEquals(List.of(first + "[0,end)"), garbage());
    }

    @Test
    void ofAClientLostWithItsLeaderAnyFileMayBeTheOne() {
        long first = oid();
        bench.leader(new LeaderMutation.LoseSession(lost, new long[0], false));
        bench.reopen();
        long other = bench.create(ROOT, "g", "small").ino();
        assertEquals(List.of(), doubtful());
        bench.unlink(ROOT, "f");
        bench.unlink(ROOT, "g");
        remove(ino, other);
        assertEquals(List.of(first + "[0,end)"), garbage());
    }

    @Test
    void theEndOfASessionIsTheEndOfIt() {
        lose(ino);
        renew(oid());
        Layout after = layout();
        lose(ino);
        assertEquals(List.of(), doubtful());
        assertEquals(after, layout());
    }
}
