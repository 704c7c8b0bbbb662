package io.cairn.master;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.TreeMutation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class OrphanReaperTest {
    private static final int MANY = 1_300;

    private final HandScheduler time = new HandScheduler();
    private final Namespace namespace = new Namespace(new MemoryStore());
    private final DirectLog log = new DirectLog(namespace);
    private final SessionTable sessions = new SessionTable(time, 15_000);
    private final OrphanReaper reaper =
            new OrphanReaper(() -> namespace, sessions, this::submit, time);
    private final ArrayDeque<CompletableFuture<Reply>> entries = new ArrayDeque<>();
    private final List<Long> inos = new ArrayList<>();
    private final long session;

    OrphanReaperTest() {
        apply(0, 0, new LeaderMutation.Found(77, 1, 4096));
        Reply opened = apply(0, 1, new SessionMutation.OpenSession("test"));
        session = assertInstanceOf(Reply.SessionReply.class, opened).session();
        sessions.opened(session);
        long root = FileSystem.ROOT_INO;
        Name name = Name.of("f");
        for (int i = 0; i < MANY; i++) {
            Mutation create =
                    new TreeMutation.Create(
                            root, name, FileType.FILE, 0644, 0, 0, 0, false, 0, new byte[0], true);
            Reply made = apply(session, 2L * i + 1, create);
            inos.add(assertInstanceOf(Reply.EntryReply.class, made).inode().ino());
            apply(session, 2L * i + 2, new TreeMutation.Unlink(root, name));
        }
    }

    private Reply apply(long of, long sequence, Mutation mutation) {
        byte[] frame = new Envelope(of, sequence, Math.max(0, sequence - 1), 0, mutation).toBytes();
        return log.submit(frame, 0).join().reply();
    }

    /** Applied at once, and known to be so when the test says. */
    private CompletableFuture<Reply> submit(LeaderMutation mutation) {
        apply(0, 0, mutation);
        CompletableFuture<Reply> answer = new CompletableFuture<>();
        entries.add(answer);
        return answer;
    }

    private void pass() {
        reaper.tick();
        time.pass(600);
        reaper.tick();
    }

    private void answer() {
        entries.remove().complete(new Reply.Done());
    }

    @Test
    void manyGoInSeveralEntriesAndWhatIsOpenedMeanwhileStays() {
        pass();
        assertEquals(1, entries.size());
        assertEquals(MANY - 512, namespace.orphanCount());
        assertNull(namespace.inode(inos.get(0)));
        sessions.open(session, inos.get(1_000));
        answer();
        assertEquals(1, entries.size());
        reaper.tick();
        assertEquals(1, entries.size());
        answer();
        answer();
        assertEquals(0, entries.size());
        assertEquals(1, namespace.orphanCount());
        assertNotNull(namespace.inode(inos.get(1_000)));
        sessions.release(session, new long[] {inos.get(1_000)});
        pass();
        assertEquals(0, namespace.orphanCount());
    }

    @Test
    void aTermThatEndsPurgesNoMore() {
        pass();
        reaper.reset();
        answer();
        assertEquals(0, entries.size());
        assertEquals(MANY - 512, namespace.orphanCount());
    }

    /** While one batch is purged the next ones have their time already. */
    @Test
    void manyAreSeenAheadAndGoOneBatchAfterTheOther() {
        OrphanReaper ahead = new OrphanReaper(() -> namespace, sessions, this::submit, time, 500);
        for (int look = 0; look < 5; look++) {
            ahead.tick();
        }
        assertEquals(0, entries.size());
        time.pass(600);
        ahead.tick();
        assertEquals(1, entries.size());
        assertEquals(MANY - 500, namespace.orphanCount());
        answer();
        assertEquals(MANY - 1_000, namespace.orphanCount());
        answer();
        answer();
        assertEquals(0, namespace.orphanCount());
        assertEquals(0, entries.size());
    }

    /** Files that are open do not hide those behind them, and are looked at again. */
    @Test
    void openOnesAreMetAgainWhenAllOthersAreGone() {
        OrphanReaper small = new OrphanReaper(() -> namespace, sessions, this::submit, time, 100);
        long open = inos.getFirst();
        sessions.open(session, open);
        for (int turn = 0; turn < 40; turn++) {
            time.pass(600);
            small.tick();
            while (!entries.isEmpty()) {
                answer();
            }
        }
        assertEquals(1, namespace.orphanCount());
        sessions.release(session, new long[] {open});
        for (int turn = 0; turn < 3; turn++) {
            time.pass(600);
            small.tick();
        }
        assertEquals(0, namespace.orphanCount());
    }
}
