package io.cairn.master;

import io.cairn.cluster.Layout;
import io.cairn.master.cluster.LogWriter;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.trash.TrashQueries.Page;
import io.cairn.metadata.trash.TrashQueries.Position;
import io.cairn.metadata.trash.TrashRecord;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.LeaderMutation.TrashMutation;
import io.cairn.wire.master.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Keeps the trash small enough, while this master leads: purges what has been in it for its time,
 * and, when disks run short, what would go first, until enough is on its way to be deleted. Then it
 * waits for the chunk servers before it looks again. Thread-safe; {@link #tick} belongs to one
 * thread.
 */
public final class TrashKeeper {
    /** Files purged in one entry of the log: clients' entries come between. */
    private static final int SLICE = 512;

    /** Entries of one tick. */
    private static final int MAX_SLICES = 20;

    /** Servers tell of their space about once a second; so long nothing more is purged. */
    private static final long REPORT_MS = 1500;

    /**
     * So long at most it waits for deletions: others remove files all the time, and a server that
     * is away deletes nothing.
     */
    private static final long MAX_WAIT_MS = 30_000;

    private static final long NEVER = Long.MIN_VALUE;

    /** Orphans looked at. */
    private static final int MAX_ORPHANS = 1 << 14;

    private final Supplier<Namespace> namespace;
    private final LogWriter log;
    private final Function<List<Reply.TrashReply.Made>, CompletableFuture<Void>> announce;
    private final Predicate<Long> isOpen;
    private final LongSupplier lackingBytes;
    private final Clock clock;
    private final AtomicLong term = new AtomicLong();
    private volatile boolean submitting;
    private volatile long shortUntilMs = NEVER;
    private volatile long waitsSinceMs = NEVER;

    /**
     * A keeper.
     *
     * @param announce tells clients of names that were made; completes when they know
     * @param isOpen whether somebody holds an inode open
     * @param lackingBytes how many bytes the disks lack, all copies counted; 0 when none is short
     */
    TrashKeeper(
            Supplier<Namespace> namespace,
            LogWriter log,
            Function<List<Reply.TrashReply.Made>, CompletableFuture<Void>> announce,
            Predicate<Long> isOpen,
            LongSupplier lackingBytes,
            Clock clock) {
        this.namespace = namespace;
        this.log = log;
        this.announce = announce;
        this.isOpen = isOpen;
        this.lackingBytes = lackingBytes;
        this.clock = clock;
    }

    /** Forgets what an earlier term began. */
    void reset() {
        term.incrementAndGet();
        submitting = false;
    }

    /** Begins to purge what has to go. Called by one thread while this master leads. */
    void tick() {
        if (submitting) {
            return;
        }
        List<Long> ended = namespace.get().trashEnding(clock.wallNs(), SLICE * MAX_SLICES);
        if (ended.isEmpty()) {
            ended = tooMuch();
        }
        if (!ended.isEmpty()) {
            submitting = true;
            purge(ended, 0, term.get());
        }
    }

    /** What goes because disks are short: nothing for a while as long as chunk servers delete. */
    private List<Long> tooMuch() {
        long lacking = lackingBytes.getAsLong();
        Namespace state = namespace.get();
        if (lacking <= 0 || state.trashSums().storedBytes() == 0) {
            waitsSinceMs = NEVER;
            return List.of();
        }
        if (waitsForDeletions() || clock.millis() < shortUntilMs) {
            return List.of();
        }
        List<Long> inos = new ArrayList<>();
        long found = 0;
        Position at = Position.BEGIN;
        while (at != null && found < lacking && inos.size() < SLICE * MAX_SLICES) {
            Page page = state.trash(at, SLICE);
            for (TrashRecord record : page.records()) {
                if (found < lacking) {
                    inos.add(record.ino());
                    found += storedBytes(state, record);
                }
            }
            at = page.next();
        }
        shortUntilMs = clock.millis() + REPORT_MS;
        return inos;
    }

    /** Whether room may come of what is being deleted. */
    private boolean waitsForDeletions() {
        long nowMs = clock.millis();
        if (awaiting() == 0) {
            waitsSinceMs = NEVER;
            return false;
        }
        if (waitsSinceMs == NEVER) {
            waitsSinceMs = nowMs;
        }
        if (nowMs - waitsSinceMs >= MAX_WAIT_MS) {
            waitsSinceMs = nowMs;
            shortUntilMs = nowMs;
            return false;
        }
        shortUntilMs = nowMs + REPORT_MS;
        return true;
    }

    private static long storedBytes(Namespace state, TrashRecord record) {
        var inode = record.storedBytes() == 0 ? null : state.inode(record.ino());
        Layout layout = inode == null ? null : inode.layout();
        return layout == null ? 0 : record.storedBytes() * state.clusterMap().copies(layout);
    }

    /** One entry after the other, while this master leads; what fails is found again. */
    private void purge(List<Long> inos, int from, long begun) {
        if (begun != term.get()) {
            return;
        }
        if (from >= inos.size()) {
            submitting = false;
            return;
        }
        int end = Math.min(from + SLICE, inos.size());
        long[] slice = inos.subList(from, end).stream().mapToLong(Long::longValue).toArray();
        var _ =
                log.submit(new TrashMutation.PurgeTrash(slice))
                        .whenComplete(
                                (_, error) ->
                                        purge(inos, error == null ? end : inos.size(), begun));
    }

    /** Purges what an administrator names. */
    public CompletableFuture<Reply> purge(long[] inos) {
        return log.submit(new TrashMutation.PurgeTrash(inos));
    }

    /** Restores what an administrator names; completes when every client can find it. */
    public CompletableFuture<Reply> restore(long[] inos) {
        return log.submit(new TrashMutation.RestoreTrash(inos))
                .thenCompose(
                        reply ->
                                reply instanceof Reply.TrashReply done
                                        ? announce.apply(done.made()).thenApply(_ -> reply)
                                        : CompletableFuture.completedFuture(reply));
    }

    /**
     * How many inodes and pieces of data wait until they are deleted on disks; those that somebody
     * holds open do not count.
     */
    public long awaiting() {
        Namespace state = namespace.get();
        long orphans = state.orphans(0, MAX_ORPHANS).stream().filter(isOpen.negate()).count();
        return orphans + state.garbageCount();
    }
}
