package io.cairn.master;

import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.master.cluster.LogWriter;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.snapshot.SnapshotStatus;
import io.cairn.metadata.trash.TrashQueries.Page;
import io.cairn.metadata.trash.TrashQueries.Position;
import io.cairn.metadata.trash.TrashRecord;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.LeaderMutation.TrashMutation;
import io.cairn.wire.master.Reply;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the trash small enough, while this master leads: purges what has been in it for its time,
 * and, when disks run short, what would go first, until enough is on its way to be deleted. Then it
 * waits for the chunk servers before it looks again. What snapshots or clones hold frees nothing
 * and stays. Thread-safe; {@link #tick} belongs to one thread.
 */
public final class TrashKeeper {
    private static final Logger LOG = LoggerFactory.getLogger(TrashKeeper.class);

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

    /** So long it does not look again when snapshots or clones hold all that is in the trash. */
    private static final long HELD_WAIT_MS = 10_000;

    /** Records that one search for space looks at; the next one goes on behind. */
    private static final int MAX_LOOKED = 1 << 14;

    private static final long NEVER = Long.MIN_VALUE;

    /** Orphans looked at. */
    private static final int MAX_ORPHANS = 1 << 14;

    /** Nothing is purged while so many inodes wait for their deletion: it would only pile up. */
    private static final int MAX_AHEAD = 1 << 16;

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

    /** Where the search for space goes on. */
    private Position searched = Position.BEGIN;

    /** Whether nothing was found since the search was at the begin. */
    private boolean fruitless;

    private boolean heldTold;
    private int maxAhead = MAX_AHEAD;
    private int looked = MAX_ORPHANS;

    /**
     * What purging a file does for the disks, all copies counted.
     *
     * @param freeBytes are deleted
     * @param heldBytes stay for snapshots, or for files that share them
     */
    public record Space(long freeBytes, long heldBytes) {
        /** Nothing on disks. */
        public static final Space NONE = new Space(0, 0);
    }

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
        if (submitting || isFarAhead()) {
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

    /**
     * Nothing is purged while so many inodes wait for their deletion.
     *
     * @param lookedAt so many of them are looked at, whether somebody holds them open
     */
    void limitAhead(int most, int lookedAt) {
        maxAhead = most;
        looked = lookedAt;
    }

    /**
     * Whether the deletion of inodes is far behind. Those that somebody holds open wait anyway:
     * where most of the oldest are open, nobody knows how many of the others are.
     */
    private boolean isFarAhead() {
        long count = namespace.get().orphanCount();
        if (count < maxAhead) {
            return false;
        }
        List<Long> oldest = namespace.get().orphans(0, looked);
        long open = oldest.stream().filter(isOpen).count();
        return count - open >= maxAhead && 2 * open <= oldest.size();
    }

    private long unopened() {
        return namespace.get().orphans(0, MAX_ORPHANS).stream().filter(isOpen.negate()).count();
    }

    /** What goes because disks are short: nothing for a while as long as chunk servers delete. */
    private List<Long> tooMuch() {
        long lacking = lackingBytes.getAsLong();
        Namespace state = namespace.get();
        if (lacking <= 0 || state.trashSums().storedBytes() == 0) {
            waitsSinceMs = NEVER;
            searched = Position.BEGIN;
            heldTold = false;
            return List.of();
        }
        if (waitsForDeletions() || clock.millis() < shortUntilMs) {
            return List.of();
        }
        if (searched.equals(Position.BEGIN)) {
            fruitless = true;
        }
        List<Long> inos = search(state, lacking);
        // Nothing found so far: the next search goes on at once.
        boolean goesOn = inos.isEmpty() && !searched.equals(Position.BEGIN);
        shortUntilMs = clock.millis() + (goesOn ? 0 : REPORT_MS);
        fruitless &= inos.isEmpty();
        if (fruitless && searched.equals(Position.BEGIN)) {
            shortUntilMs = clock.millis() + HELD_WAIT_MS;
            tellHeld();
        }
        return inos;
    }

    private void tellHeld() {
        if (!heldTold) {
            LOG.warn(
                    "disks are short, and purging the trash frees nothing: snapshots or clones hold"
                            + " what is in it; see 'cairn snapshot list' and drop some");
        }
        heldTold = true;
    }

    /** The next that free something, as much as is lacking; what is held stays. */
    private List<Long> search(Namespace state, long lacking) {
        List<Long> inos = new ArrayList<>();
        long found = 0;
        for (int looked = 0; looked < MAX_LOOKED; looked += SLICE) {
            Page page = state.trash(searched, SLICE);
            for (TrashRecord record : page.records()) {
                long freed = space(state, record).freeBytes;
                if (freed > 0) {
                    inos.add(record.ino());
                    found += freed;
                }
                if (found >= lacking || inos.size() == SLICE * MAX_SLICES) {
                    return inos; // what is left of the page is looked at again
                }
            }
            Position next = page.next();
            searched = next == null ? Position.BEGIN : next;
            if (next == null) {
                return inos;
            }
        }
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

    /** What purging a file would do for the disks. */
    public Space space(TrashRecord record) {
        return space(namespace.get(), record);
    }

    private static Space space(Namespace state, TrashRecord record) {
        Inode inode = record.storedBytes() == 0 ? null : state.inode(record.ino());
        Layout layout = inode == null ? null : inode.layout();
        if (inode == null || layout == null) {
            return Space.NONE;
        }
        long bytes = record.storedBytes() * state.clusterMap().copies(layout);
        long held = (long) ((double) bytes * heldShare(state, inode, layout));
        return new Space(bytes - held, held);
    }

    /**
     * The part of the chunks that belong to objects which a snapshot may show, or which another
     * file needs that is not in the trash.
     */
    private static double heldShare(Namespace state, Inode inode, Layout layout) {
        SnapshotStatus status = state.snapshotStatus();
        long sizeBytes = inode.attributes().size();
        Map<Long, Boolean> known = new HashMap<>();
        LongPredicate isHeld =
                oid ->
                        oid < status.heldOid()
                                || (oid < status.fence().firstOid()
                                        && state.isShared(oid, inode.ino()));
        long held = 0;
        long chunks = Math.max(1, ((sizeBytes - 1) >> layout.chunkSizeLog2()) + 1);
        List<Layout.Run> runs = layout.runs();
        for (int i = 0; i < runs.size(); i++) {
            long end = i + 1 < runs.size() ? runs.get(i + 1).firstChunk() : chunks;
            long count = Math.min(end, chunks) - runs.get(i).firstChunk();
            if (known.computeIfAbsent(runs.get(i).oid(), isHeld::test)) {
                held += Math.max(0, count);
            }
        }
        return (double) held / (double) chunks;
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
        return unopened() + namespace.get().garbageCount();
    }

    /**
     * How many inodes that lost their last name up to a time wait for their deletion, 16,384 at
     * most; those that somebody holds open do not count.
     *
     * @param untilNs nanoseconds since 1970
     */
    public long orphans(long untilNs) {
        Namespace state = namespace.get();
        long count = 0;
        List<Long> page = List.of(0L);
        while (!page.isEmpty() && count < MAX_ORPHANS) {
            page = state.orphans(page.getLast(), SLICE);
            for (long ino : page) {
                Inode inode = isOpen.test(ino) ? null : state.inode(ino);
                count += inode != null && inode.attributes().ctimeNs() <= untilNs ? 1 : 0;
            }
        }
        return count;
    }
}
