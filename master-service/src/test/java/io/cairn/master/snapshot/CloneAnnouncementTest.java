package io.cairn.master.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.fs.Name;
import io.cairn.metadata.Bench;
import io.cairn.testkit.ManualClock;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.ContentMutation.SnapshotMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.Reply.TrashReply.Made;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** Clients hear of every clone, whoever began it and whatever becomes of answers. */
final class CloneAnnouncementTest {
    private static final Name NAME = Name.of("clone");
    private static final List<Made> PLACE = List.of(new Made(Bench.ROOT, NAME));

    private final ManualClock clock = new ManualClock(1_000_000);
    private final Bench bench = Bench.withPools(1);
    private final List<List<Made>> announced = new ArrayList<>();
    private CompletableFuture<Void> told = CompletableFuture.completedFuture(null);
    private boolean keeps = true;
    private boolean answers = true;
    private final SnapshotKeeper keeper =
            new SnapshotKeeper(
                    () -> bench.namespace,
                    this::submit,
                    _ -> keeps,
                    new Ear(),
                    _ -> CompletableFuture.completedFuture(null),
                    clock);

    /** Notes what clients hear. */
    private final class Ear implements SnapshotKeeper.NameWatch {
        @Override
        public void changed(long directoryIno) {}

        @Override
        public CompletableFuture<Void> announce(List<Made> names) {
            announced.add(names);
            return told;
        }
    }

    private CompletableFuture<Reply> submit(LeaderMutation mutation) {
        Reply reply = bench.leader(mutation);
        boolean isLost = !answers && mutation instanceof SnapshotMutation.FinishSnapshot;
        return isLost
                ? CompletableFuture.failedFuture(new FsException(Errno.NOT_READY, "lost"))
                : CompletableFuture.completedFuture(reply);
    }

    private long file() {
        Inode file = bench.create(Bench.ROOT, "file");
        long version = file.attributes().version();
        bench.ok(new ContentMutation.Spill(file.ino(), version, 1 << 20, 5, 1 << 20));
        return file.ino();
    }

    private boolean isThere() {
        return bench.read(new Query.Lookup(Bench.ROOT, NAME)) instanceof Reply.EntryReply;
    }

    @Test
    void oneThatAnotherLeaderBeganIsAnnounced() {
        bench.leader(new SnapshotMutation.BeginClone(file(), Bench.ROOT, NAME));
        keeper.lead();
        keeper.tick();
        assertTrue(isThere());
        assertEquals(List.of(PLACE), announced);
    }

    @Test
    void itIsThereWhenAllClientsKnow() {
        told = new CompletableFuture<>();
        CompletableFuture<Void> made = keeper.cloneFile(file(), Bench.ROOT, NAME);
        assertEquals(List.of(PLACE), announced);
        assertFalse(made.isDone());
        told.complete(null);
        made.join();
        assertTrue(isThere());
    }

    @Test
    void aLostAnswerDoesNotMakeItFail() {
        answers = false;
        CompletableFuture<Void> made = keeper.cloneFile(file(), Bench.ROOT, NAME);
        assertEquals(PLACE, announced.getFirst());
        keeper.tick();
        made.join();
        assertTrue(isThere());
    }

    /** Requests may come before the first look of a new leader. */
    @Test
    void whatTheLeaderWasAskedForBeforeItsFirstLookIsMade() {
        keeps = false;
        CompletableFuture<Void> clone = keeper.cloneFile(file(), Bench.ROOT, NAME);
        keeper.lead();
        assertFalse(clone.isDone(), "it is not known yet what becomes of it");
        keeps = true;
        keeper.tick();
        clone.join();
        assertTrue(isThere());
        keeps = false;
        CompletableFuture<?> snapshot = keeper.take(Bench.ROOT, Name.of("s"));
        keeper.lead();
        assertFalse(snapshot.isDone());
        keeps = true;
        keeper.tick();
        snapshot.join();
    }

    @Test
    void whoLeadsNoLongerAnswersNobody() {
        keeps = false;
        CompletableFuture<Void> made = keeper.cloneFile(file(), Bench.ROOT, NAME);
        keeper.follow();
        CompletionException thrown = assertThrows(CompletionException.class, made::join);
        assertEquals(Errno.EAGAIN, assertInstanceOf(FsException.class, thrown.getCause()).errno());
    }

    @Test
    void oneThatIsGivenUpFails() {
        keeps = false;
        CompletableFuture<Void> made = keeper.cloneFile(file(), Bench.ROOT, NAME);
        assertFalse(made.isDone());
        clock.advance(60_000);
        keeper.tick();
        keeper.tick();
        CompletionException thrown = assertThrows(CompletionException.class, made::join);
        assertEquals(
                Errno.ETIMEDOUT, assertInstanceOf(FsException.class, thrown.getCause()).errno());
        assertFalse(isThere());
        assertEquals(List.of(), announced);
    }
}
