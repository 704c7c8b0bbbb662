package io.cairn.master;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.metadata.Bench;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.LeaderMutation.TrashMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.TreeMutation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class TrashKeeperTest {
    private static final long ROOT = FileSystem.ROOT_INO;
    private static final int MANY = 1_300;
    private static final long KEPT_S = 60;

    private final HandScheduler time = new HandScheduler();
    private final Namespace namespace = new Namespace(new MemoryStore());
    private final DirectLog log = new DirectLog(namespace);
    private final List<Reply.TrashReply.Made> announced = new ArrayList<>();
    private final CompletableFuture<Void> told = new CompletableFuture<>();
    private final TrashKeeper keeper =
            new TrashKeeper(
                    () -> namespace,
                    this::submit,
                    made -> {
                        announced.addAll(made);
                        return told;
                    },
                    _ -> false,
                    () -> 0,
                    time);
    private final long session;
    private int entries;
    private long sequence;

    TrashKeeperTest() {
        apply(0, 0, new LeaderMutation.Found(77, 1, 4096));
        Reply opened = apply(0, 1, new SessionMutation.OpenSession("test"));
        session = assertInstanceOf(Reply.SessionReply.class, opened).session();
        apply(0, 0, new TrashMutation.SetRetention(0, KEPT_S));
    }

    private Reply apply(long of, long number, Mutation mutation) {
        log.nowNs = time.wallNs();
        byte[] frame =
                new Envelope(of, number, Math.max(0, number - 1), time.wallNs(), mutation)
                        .toBytes();
        return log.submit(frame, 0).join().reply();
    }

    private CompletableFuture<Reply> submit(LeaderMutation mutation) {
        entries++;
        return CompletableFuture.completedFuture(apply(0, 0, mutation));
    }

    private long makeAndRemove(String name) {
        Reply made = apply(session, ++sequence, Bench.creation(ROOT, name, ""));
        apply(session, ++sequence, new TreeMutation.Unlink(ROOT, Name.of(name)));
        return assertInstanceOf(Reply.EntryReply.class, made).inode().ino();
    }

    @Test
    void purgesWhatHasBeenThereForItsTimeInFewEntries() {
        for (int i = 0; i < MANY; i++) {
            makeAndRemove("f" + i);
        }
        keeper.tick();
        assertEquals(0, entries);
        assertEquals(MANY, namespace.trashSums().files());
        time.pass(KEPT_S * 1000 + 1);
        long late = makeAndRemove("late");
        keeper.tick();
        assertEquals(1, namespace.trashSums().files());
        assertEquals(3, entries);
        assertTrue(namespace.orphanCount() >= MANY);
        assertEquals(namespace.orphanCount(), keeper.awaiting());
        assertFalse(namespace.orphans(0, 10_000).contains(late));
        assertEquals(List.of(), namespace.check());
    }

    @Test
    void restoresAndWaitsUntilEverybodyCanKnow() {
        long ino = makeAndRemove("f");
        CompletableFuture<Reply> restored = keeper.restore(new long[] {ino});
        assertFalse(restored.isDone());
        assertEquals(List.of(new Reply.TrashReply.Made(ROOT, Name.of("f"))), announced);
        told.complete(null);
        assertInstanceOf(Reply.TrashReply.class, restored.join());
    }
}
