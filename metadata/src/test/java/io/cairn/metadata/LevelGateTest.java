package io.cairn.metadata;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.wire.ProtocolRange;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import org.junit.jupiter.api.Test;

/**
 * Two masters in the middle of a rolling upgrade: one release understands version 1 of the
 * protocol, the next one 1 and 2. Both apply the same log.
 */
class LevelGateTest {
    private final MemoryStore oldStore = new MemoryStore();
    private final MemoryStore newStore = new MemoryStore();
    private final Namespace older = new Namespace(oldStore, new ProtocolRange(1, 1));
    private final Namespace newer = new Namespace(newStore, new ProtocolRange(1, 2));
    private long index;
    private long sequence;

    private static Reply reply(Namespace.Applied applied) {
        return applied.outcomes().getFirst().reply();
    }

    private byte[] entry(int version, long session, Mutation mutation) {
        return Bench.entry(new Envelope(version, session, ++sequence, 0, index + 1, mutation));
    }

    /** On both; they must answer alike and come to the same state. */
    private Reply both(byte[] entry) {
        Namespace.Applied one = older.apply(1, ++index, entry);
        Namespace.Applied two = newer.apply(1, index, entry);
        assertArrayEquals(one.outcomes().getFirst().bytes(), two.outcomes().getFirst().bytes());
        assertArrayEquals(older.fingerprint(), newer.fingerprint());
        return reply(one);
    }

    private long founded() {
        both(entry(1, 0, new LeaderMutation.Found(77, 1, 4096)));
        Reply opened = both(entry(1, 0, new SessionMutation.OpenSession("somebody")));
        sequence = 0;
        return assertInstanceOf(Reply.SessionReply.class, opened).session();
    }

    @Test
    void whatSomeMasterCannotReadIsRefusedByAll() {
        long session = founded();
        byte[] young = entry(2, session, Bench.creation(Bench.ROOT, "young", ""));
        Reply.Failure refused = assertInstanceOf(Reply.Failure.class, both(young));
        assertEquals(Errno.EPROTO, refused.errno());
        assertTrue(refused.message().contains("level 1"), refused.message());
        sequence = 0;
        assertInstanceOf(
                Reply.EntryReply.class,
                both(entry(1, session, Bench.creation(Bench.ROOT, "old", ""))));
    }

    @Test
    void afterTheLevelWasRaisedTheNewReleaseGoesOnAndTheOldOneStops() {
        long session = founded();
        byte[] raise = entry(1, 0, new LeaderMutation.RaiseLevel(2));
        IllegalStateException stopped =
                assertThrows(IllegalStateException.class, () -> older.apply(1, index + 1, raise));
        assertEquals(
                "the cluster is at level 2, this release understands version 1: install a newer"
                        + " one",
                stopped.getMessage());
        assertInstanceOf(Reply.Done.class, reply(newer.apply(1, ++index, raise)));
        assertEquals(2, newer.level());
        sequence = 0;
        byte[] young = entry(2, session, Bench.creation(Bench.ROOT, "young", ""));
        Reply made = newer.apply(1, ++index, young).outcomes().getFirst().reply();
        assertInstanceOf(Reply.EntryReply.class, made);
        byte[] old = entry(1, session, Bench.creation(Bench.ROOT, "old", ""));
        assertInstanceOf(Reply.EntryReply.class, reply(newer.apply(1, ++index, old)));
        byte[] back = entry(1, 0, new LeaderMutation.RaiseLevel(2));
        assertInstanceOf(Reply.Failure.class, reply(newer.apply(1, ++index, back)));
    }

    @Test
    void theLevelIsKeptAndAnOlderReleaseDoesNotOpenTheState() {
        founded();
        newer.apply(1, ++index, entry(1, 0, new LeaderMutation.RaiseLevel(2)));
        assertEquals(2, new Namespace(newStore, new ProtocolRange(2, 3)).level());
        assertThrows(
                IllegalStateException.class,
                () -> new Namespace(newStore, new ProtocolRange(1, 1)));
        IllegalStateException skipped =
                assertThrows(
                        IllegalStateException.class,
                        () -> new Namespace(newStore, new ProtocolRange(3, 4)));
        assertTrue(
                String.valueOf(skipped.getMessage()).endsWith("raise the level first"),
                skipped.getMessage());
    }
}
