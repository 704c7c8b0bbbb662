package io.cairn.client.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.chunk.ChunkMove;
import io.cairn.client.chunk.ChunkPlace;
import io.cairn.client.chunk.ChunkSource;
import io.cairn.client.session.Await;
import io.cairn.client.session.Backoff;
import io.cairn.client.session.Promises;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Stripe;
import io.cairn.wire.Limits;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps new chunks of one file out of groups that do not serve or are nearly full. The master is
 * asked to put everything behind the end of the file elsewhere, before the first byte of such a
 * chunk is written, and when bytes wait for a server that was lost or whose disk is full.
 *
 * <p>Bytes behind the end may have been stored and not been committed. So all clients that hold the
 * file open commit and keep their writers waiting meanwhile, this one commits as well, and the
 * master does it for the version of the inode that was seen then. Bytes that this client cannot
 * commit, because they wait for the lost server, go again to the new place. Chunks behind the end
 * with bytes that it has stored, and cannot commit before the others, stay where they are.
 *
 * <p>A chunk with bytes whose disk is full moves as well when more is written to it. All clients
 * keep still in the same way while this one copies it to other disks, makes the copy durable and
 * has the master put it in the place of the old one ({@link ContentMutation.MoveChunks}). A crash
 * before that leaves the old chunk as it was. Thread-safe.
 */
public final class Detour {
    private static final Logger LOG = LoggerFactory.getLogger(Detour.class);

    /**
     * How long writers of other clients may be kept waiting; less than it takes to ask another
     * master, as the answer takes so long while one of them does not answer.
     */
    private static final int STILL_MS = 3000;

    private static final int MAX_TRIES = 4;

    /** Chunks that are copied together. */
    private static final int MAX_MOVED = 16;

    /** So many bytes of them, or one chunk: writers wait meanwhile. */
    private static final int MAX_MOVED_BYTES = 64 << 20;

    /** How long it takes to hear of a disk that became full: a heartbeat, with a wide margin. */
    private static final long NEWS_MS = 5000;

    /** A client that does not answer, or a slow copy, is waited for: its session ends by then. */
    private static final long OTHERS_MS = 30_000;

    private static final long LONGEST_PAUSE_MS = 250;

    /** After a try that did not help the next one waits. */
    private static final long QUIET_MS = 500;

    private final OpenInode inode;
    private final Mount mount;

    /** Under way, by the place that refused. */
    private final Map<ChunkPlace, RoomSearch> searches = new ConcurrentHashMap<>();

    @GuardedBy("this")
    private @Nullable CompletableFuture<Boolean> running;

    /** Kept when bytes wait for room; another one follows then. */
    @GuardedBy("this")
    private CompletableFuture<Void> stuck = new CompletableFuture<>();

    /** Chunks with bytes that have to move, because a full disk has refused more. */
    @GuardedBy("this")
    private final NavigableSet<Long> refused = new TreeSet<>();

    /**
     * Whether the last try was in vain, but not for lack of room: another client did not keep
     * still, or it took too long.
     */
    @GuardedBy("this")
    private boolean hindered;

    @GuardedBy("this")
    private long quietSinceMs;

    @GuardedBy("this")
    private boolean quiet;

    Detour(OpenInode inode, Mount mount) {
        this.inode = inode;
        this.mount = mount;
    }

    /** Before bytes are written, or zeros begin to count, up to an offset; blocks. */
    public void before(long end) {
        ClusterMap map = mount.chunks().map();
        if (map.isAvailable() && map.isRoomy()) {
            return;
        }
        for (int tries = 0; tries < MAX_TRIES && isNeeded(end); tries++) {
            if (!Await.get(begin(true), mount.timeoutMs())) {
                return;
            }
        }
    }

    /** If anything waits for a lost server, and may go elsewhere. Never blocks. */
    void takeIfStuck() {
        if (mount.chunks().map().isAvailable()) {
            return;
        }
        boolean isStuck =
                inode.with(
                        s -> {
                            Reach reach = reach(s);
                            return reach != null && s.chunks().isBlocked(reach::takesAlong);
                        });
        if (isStuck && !isQuiet()) {
            Promises.whenDone(begin(true), (_, _) -> {});
        }
    }

    private boolean isNeeded(long end) {
        return end > 0 && !isQuiet() && inode.with(s -> isBlocked(s, end));
    }

    private boolean isBlocked(FileState s, long end) {
        Layout layout = s.inode().layout();
        boolean isInline = s.contents().inline() != null;
        if (layout == null || (isInline && s.fitsInline(end))) {
            return false;
        }
        long first = isInline ? 0 : layout.chunkBehind(s.size());
        long last = layout.chunkOf(end - 1);
        ClusterMap map = mount.chunks().map();
        return Stripe.isBlocked(map, layout, first, last)
                || Stripe.isCrowded(map, layout, first, last);
    }

    private synchronized boolean isQuiet() {
        return quiet && mount.nowMs() - quietSinceMs < QUIET_MS;
    }

    /**
     * What a detour takes along now.
     *
     * @param version the version of the inode for which that holds
     * @param first the first chunk behind the end; all when the contents are in the inode
     * @param kept chunks from there on that stay because they have bytes, in ascending order
     */
    private record Reach(long version, long first, long[] kept) {
        boolean takesAlong(long chunk) {
            return chunk >= first && Arrays.binarySearch(kept, chunk) < 0;
        }
    }

    /** What a detour takes along now; null when nobody knows which chunks have to stay. */
    private static @Nullable Reach reach(FileState s) {
        Inode inode = s.inode();
        Layout layout = s.layout();
        boolean isInline = inode.inline() != null;
        long first = isInline ? 0 : layout.chunkBehind(inode.attributes().size());
        // What was stored up to here is committed, or remembered.
        long knownEnd = isInline ? Limits.MAX_INLINE_BYTES : first << layout.chunkSizeLog2();
        boolean isAll = s.uncommitted().storedEnd() <= knownEnd;
        long @Nullable [] kept = isAll ? new long[0] : s.uncommitted().storedChunks(first);
        return kept == null ? null : new Reach(inode.attributes().version(), first, kept);
    }

    /**
     * Looks for another place for a chunk that a full disk refused; the promise is kept at the end,
     * whether or not one was found. All that the disk refused there wait for one. Never blocks.
     */
    CompletableFuture<Void> past(ChunkPlace place) {
        RoomSearch search = new RoomSearch(place);
        RoomSearch present = searches.putIfAbsent(place, search);
        if (present == null) {
            search.look();
        }
        return present == null ? search.promise : present.promise;
    }

    /** Whether a detour takes along all of a chunk: nothing of it is stored. */
    private boolean takesAlong(long chunkIndex) {
        Reach reach = inode.<@Nullable Reach>with(Detour::reach);
        return reach != null && reach.takesAlong(chunkIndex);
    }

    private synchronized boolean isHindered() {
        return hindered;
    }

    private synchronized void setHindered(boolean isHindered) {
        hindered = isHindered;
    }

    /** Moves a chunk with bytes, and others that wait for that. Never blocks. */
    private CompletableFuture<Boolean> move(long chunk) {
        synchronized (this) {
            refused.add(chunk);
        }
        return begin(false);
    }

    /** Begins a detour or a move, or joins either; whether the layout is another one then. */
    private CompletableFuture<Boolean> begin(boolean isDetour) {
        CompletableFuture<Boolean> mine;
        synchronized (this) {
            CompletableFuture<Boolean> present = running;
            if (present != null) {
                return present;
            }
            mine = new CompletableFuture<>();
            running = mine;
        }
        // Not by who waits for it: a signal must not end it half-way.
        mount.runtime().threads().execute(() -> run(mine, isDetour));
        return mine;
    }

    private void run(CompletableFuture<Boolean> promise, boolean isDetour) {
        boolean taken = false;
        try {
            taken = isDetour ? amongOthers(this::alone) : moveRefused();
        } catch (FsException e) {
            LOG.debug("inode {} stays where it is: {}", inode.ino(), e.getMessage());
            setHindered(e.errno() != Errno.ENOSPC && e.errno() != Errno.E2BIG);
        } finally {
            synchronized (this) {
                running = null;
                if (isDetour) {
                    quiet = !taken;
                    quietSinceMs = mount.nowMs();
                }
            }
            promise.complete(taken);
        }
    }

    private boolean amongOthers(BooleanSupplier change) {
        long ino = inode.ino();
        setHindered(true);
        Reply held = mount.master().ask(new Query.HoldStill(ino, STILL_MS));
        try {
            boolean isHeld = held instanceof Reply.Done;
            setHindered(!isHeld);
            return isHeld && change.getAsBoolean();
        } finally {
            Promises.whenDone(mount.master().query(new Query.HoldStill(ino, 0)), (_, _) -> {});
        }
    }

    private boolean alone() {
        CompletableFuture<Void> untilStuck = untilStuck();
        if (!inode.<Boolean>with(s -> s.chunks().isBlocked(_ -> true))) {
            commit(untilStuck);
        }
        Reach reach =
                inode.<@Nullable Reach>with(
                        s -> {
                            Reach now = reach(s);
                            if (now != null) {
                                s.chunks().pause(now.first << s.layout().chunkSizeLog2());
                            }
                            return now;
                        });
        if (reach == null) {
            return false;
        }
        try {
            return ask(reach);
        } finally {
            inode.tell(s -> s.chunks().resume());
        }
    }

    /**
     * Commits, but does not wait for bytes that a full disk refuses: they wait for a detour. The
     * commit goes on then. Blocks.
     *
     * @return whether everything is committed
     * @throws FsException what the commit failed with; ETIMEDOUT when it takes too long
     */
    boolean commitUnlessStuck() {
        return commit(untilStuck());
    }

    private boolean commit(CompletableFuture<Void> untilStuck) {
        CompletableFuture<Void> commit = inode.commit();
        Await.get(CompletableFuture.anyOf(commit, untilStuck), inode.drainTimeoutMs());
        if (!commit.isDone()) {
            return false;
        }
        Await.get(commit, 0);
        return true;
    }

    private synchronized CompletableFuture<Void> untilStuck() {
        return stuck;
    }

    /** Bytes wait for room, and so for a detour: no detour waits for them any more. */
    private void tellStuck() {
        CompletableFuture<Void> told;
        synchronized (this) {
            told = stuck;
            stuck = new CompletableFuture<>();
        }
        told.complete(null);
    }

    private boolean ask(Reach reach) {
        Layout before = inode.layout();
        ContentMutation detour =
                reach.kept.length == 0
                        ? new ContentMutation.TakeDetour(inode.ino(), reach.version)
                        : new ContentMutation.TakePartialDetour(
                                inode.ino(), reach.version, reach.kept);
        Reply reply = untilKnown(() -> mount.master().change(detour));
        if (reply instanceof Reply.EntryReply entry) {
            inode.adopt(entry.inode());
        } else if (reply instanceof Reply.Failure failure && failure.errno() == Errno.ESTALE) {
            inode.doubts().look();
        }
        return !before.equals(inode.layout());
    }

    /**
     * Asks the master for another layout. Without an answer it may have made one, or may be about
     * to: what is kept here goes nowhere before that is known.
     */
    private Reply untilKnown(Supplier<Reply> question) {
        try {
            return question.get();
        } catch (FsException e) {
            Standstill.renewAtLast(inode, mount);
            throw e;
        }
    }

    private boolean moveRefused() {
        flushStored();
        return amongOthers(this::moveAlone);
    }

    /** An fsync asks no more whether the old chunks have lost writes with the power. */
    private void flushStored() {
        CompletableFuture<Void> flushed = inode.flushChunks();
        Await.get(
                Promises.within(flushed, mount.runtime().scheduler(), NEWS_MS), mount.timeoutMs());
    }

    private boolean moveAlone() {
        inode.doubts().look();
        List<Long> wanted = takeRefused(inode.layout().chunkSizeBytes());
        ChunkMove move = inode.<@Nullable ChunkMove>with(s -> pausedMove(s, wanted));
        if (move == null) {
            return false;
        }
        try {
            // What was stored since the last time: the copies are made of what the power spares.
            flushStored();
            long oid = move.makeCopies();
            inode.tell(s -> s.uncommitted().moveTo(oid));
            inode.adopt(untilKnown(move::finish));
            return true;
        } finally {
            move.end();
            inode.tell(s -> s.chunks().resume());
        }
    }

    /** The next chunks to move, which nobody here writes from then on; null when none has to. */
    private @Nullable ChunkMove pausedMove(FileState s, List<Long> wanted) {
        ClusterMap map = mount.chunks().map();
        Layout layout = s.layout();
        List<ChunkSource> from = new ArrayList<>();
        int pool = 0;
        for (long chunk : wanted) {
            PlacementGroup group = map.groupOf(layout, chunk);
            int own = layout.runOf(chunk).poolId();
            if (group != null && !map.takesNew(group.id()) && (pool == 0 || pool == own)) {
                pool = own;
                from.add(s.clones().source(layout, chunk));
            }
        }
        if (from.isEmpty()) {
            return null;
        }
        s.chunks().pause(from.getFirst().place().index() << layout.chunkSizeLog2());
        return new ChunkMove(
                mount.master(), mount.chunks(), mount.runtime(), s.inode(), from, STILL_MS);
    }

    /** Those that are left out are asked for again by who waits for them. */
    private synchronized List<Long> takeRefused(long chunkBytes) {
        long most = Math.clamp(MAX_MOVED_BYTES / chunkBytes, 1, MAX_MOVED);
        List<Long> taken = refused.stream().limit(most).toList();
        refused.clear();
        return taken;
    }

    /**
     * Looks for another place for a chunk that a full disk refused. Others may have filled the disk
     * since the last heartbeat of its server. So the map is asked for until it says which targets
     * are nearly full. Then a detour goes around them or, if the chunk has bytes, it moves. The
     * master may be faster and move the whole group: then the bytes go where they should before.
     *
     * <p>It ends at once when no other disks have room. The refusal counts then. Never blocks.
     */
    private final class RoomSearch {
        private final ChunkPlace place;
        private final Backoff backoff = new Backoff(mount.runtime().random(), LONGEST_PAUSE_MS);
        private final long beganMs = mount.nowMs();
        private long deadlineMs = beganMs + NEWS_MS;
        private final CompletableFuture<Void> promise = new CompletableFuture<>();

        /** Whether the map has told that the disk is full. */
        private boolean isTold;

        RoomSearch(ChunkPlace place) {
            this.place = place;
        }

        private void end() {
            searches.remove(place, this);
            promise.complete(null);
        }

        private void look() {
            ClusterMap map = mount.chunks().map();
            Layout layout = inode.layout();
            PlacementGroup group = map.groupOf(layout, place.index());
            Layout.Run run = layout.runOf(place.index());
            boolean hasRoom = group != null && map.takesNew(group.id());
            if (hasRoom && isTold && run.oid() == place.oid()) {
                // It is on other disks by now, or there is room again: what waits goes once more.
                long from = place.index() << layout.chunkSizeLog2();
                inode.tell(s -> s.chunks().pause(from));
                inode.tell(s -> s.chunks().resume());
                end();
                return;
            }
            isTold = !hasRoom;
            boolean isNew = takesAlong(place.index());
            Layout moved = isNew ? layout : layout.withRuns(List.of(run.beside(0, run.oid())));
            if (group == null
                    || !group.equals(map.groupOf(place.layout(), place.index()))
                    || run.oid() != place.oid()
                    || mount.nowMs() >= deadlineMs
                    || !Stripe.mayHelp(map, moved, group)) {
                end();
                return;
            }
            tellStuck();
            if (hasRoom) {
                Promises.whenDone(mount.chunks().refresh(), (_, _) -> later());
            } else {
                CompletableFuture<Boolean> way = isNew ? begin(true) : move(place.index());
                Promises.whenDone(way, (isChanged, _) -> later(isChanged));
            }
        }

        /** After a change of other chunks it has its time anew; others have theirs to answer. */
        private void later(@Nullable Boolean isChanged) {
            long nowMs = mount.nowMs();
            if (Boolean.TRUE.equals(isChanged)) {
                deadlineMs = nowMs + NEWS_MS;
            } else if (isHindered()) {
                deadlineMs = Math.min(nowMs + NEWS_MS, beganMs + OTHERS_MS);
            }
            later();
        }

        private void later() {
            mount.runtime().scheduler().schedule(this::look, backoff.nextMs());
        }
    }
}
