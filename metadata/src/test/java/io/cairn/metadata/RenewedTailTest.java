package io.cairn.metadata;

import static io.cairn.metadata.Bench.ROOT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.cairn.base.Errno;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What lies beyond the end of a file after a client was lost (I14). */
class RenewedTailTest extends OneFile {
    @Test
    void whatALostClientMayHaveWrittenIsGivenUpOnceWhenTheFileIsExtended() {
        spill(CHUNK + 1000);
        long first = oid();
        bench.leader(new LeaderMutation.DoubtObjects());
        Inode inode = bench.truncate(ino, 30 * CHUNK);
        long second = oid();
        List<Layout.Run> runs =
                List.of(Layout.Run.of(0, 1, first), new Layout.Run(1, 1, second, first, 1000, 0));
        assertEquals(runs, layout().runs());
        assertEquals(first, layout().renewedOid());
        assertEquals(30 * CHUNK, inode.attributes().size());
        assertEquals(CHUNK + 1000, inode.attributes().usedBytes());
        assertEquals(List.of(first + "[2,end)"), garbage());
        bench.fails(Errno.ESTALE, new ContentMutation.CommitSize(ino, first, 40 * CHUNK, 1, 1));
        bench.truncate(ino, 50 * CHUNK);
        assertEquals(runs, layout().runs());
        bench.leader(new LeaderMutation.DoubtObjects());
        bench.truncate(ino, 50 * CHUNK);
        assertEquals(runs, layout().runs());
        bench.truncate(ino, 10 * CHUNK);
        long third = oid();
        bench.truncate(ino, 60 * CHUNK);
        assertEquals(third, oid());
    }

    @Test
    void anEmptyFileThatALostClientMayHaveSpilledGetsAnotherObject() {
        bench.truncate(ino, 0);
        long first = oid();
        bench.leader(new LeaderMutation.DoubtObjects());
        bench.truncate(ino, CHUNK);
        assertNotEquals(first, oid());
        assertEquals(List.of(Layout.Run.of(0, 1, oid())), layout().runs());
        assertEquals(List.of(first + "[0,end)"), garbage());
    }

    @Test
    void theTailIsRenewedWhenItIsStillTheLastObject() {
        bench.ok(new ContentMutation.RenewTail(ino, oid() + 1));
        long first = oid();
        bench.ok(new ContentMutation.RenewTail(ino, first));
        long second = oid();
        assertEquals(List.of(first + "[0,end)"), garbage());
        spill(CHUNK);
        bench.ok(new ContentMutation.RenewTail(ino, first));
        assertEquals(List.of(Layout.Run.of(0, 1, second)), layout().runs());
        bench.ok(new ContentMutation.RenewTail(ino, second));
        assertEquals(
                List.of(Layout.Run.of(0, 1, second), Layout.Run.of(1, 1, oid())), layout().runs());
        assertEquals(List.of(first + "[0,end)", second + "[1,end)"), garbage());
        bench.fails(Errno.EISDIR, new ContentMutation.RenewTail(ROOT, 1));
        bench.fails(Errno.ESTALE, new ContentMutation.RenewTail(4711, 1));
    }

    @Test
    void aTailIsInDoubtSinceTheLastClientWasLost() {
        assertInstanceOf(Reply.EntryReply.class, bench.read(new Query.CheckTail(ino)));
        bench.leader(new LeaderMutation.DoubtObjects());
        bench.readFails(Errno.ESTALE, new Query.CheckTail(ino));
        bench.ok(new ContentMutation.RenewTail(ino, oid()));
        assertInstanceOf(Reply.EntryReply.class, bench.read(new Query.CheckTail(ino)));
        bench.leader(new SessionMutation.CloseSession(4711));
        assertInstanceOf(Reply.EntryReply.class, bench.read(new Query.CheckTail(ino)));
        long lost = bench.namespace.sessions().getFirst().session();
        bench.leader(new SessionMutation.CloseSession(lost));
        bench.readFails(Errno.ESTALE, new Query.CheckTail(ino));
        assertInstanceOf(Reply.EntryReply.class, bench.read(new Query.CheckTail(ROOT)));
        bench.readFails(Errno.ESTALE, new Query.CheckTail(4711));
    }
}
