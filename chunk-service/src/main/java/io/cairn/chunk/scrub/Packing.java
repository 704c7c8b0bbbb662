package io.cairn.chunk.scrub;

import io.cairn.base.FsException;
import io.cairn.chunk.peer.ServerContext;
import io.cairn.chunk.store.StorageTarget;
import io.cairn.chunk.store.blob.BlobVerification;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.pack.Codec;
import io.cairn.runtime.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Packs the blobs of a target that rest: those in pools with a compression that were not changed
 * for some time. It looks at all of them in rounds, and packs one at a time. A blob that did not
 * become smaller is not tried again until it is changed, or the process is another one. Takes a
 * share of the disk's time, as a scrub does. Thread-safe.
 */
final class Packing {
    private static final Logger LOG = LoggerFactory.getLogger(Packing.class);

    /** From one round to the next, at least. */
    private static final long MIN_ROUND_MS = 50;

    /** Rounds take one part in so many of the time. */
    private static final int ROUND_PARTS = 10;

    /** Part of the disk's time that is taken, in percent. */
    private static final int SHARE_PERCENT = 20;

    /** Blobs that one step looks at. */
    private static final int STEP_BLOBS = 256;

    /** Blobs that could not be packed and are tried again. */
    private static final int MAX_FAILED = 10_000;

    private final Clock clock;
    private final StorageTarget target;
    private final IntFunction<@Nullable Codec> codecs;
    private final BlobVerification blobs;
    private final Pace pace;
    private final long afterMs;
    private final StepLoop loop;

    // Of the step under way.

    /** Up to which time of change all blobs of a group were looked at, by the wall clock. */
    private final Map<Integer, Long> seenMs = new HashMap<>();

    /** Of the round before: to be tried again, though they were not changed. */
    private Set<BlobKey> failed = Set.of();

    private @Nullable Round round;
    private long lastWallMs;

    /** One look at all blobs. */
    private static final class Round {
        private final Deque<Integer> groups;
        private final long restingMs;
        private final Set<BlobKey> failed = new HashSet<>();
        private Deque<BlobKey> rest = new ArrayDeque<>();
        private int group;
        private @Nullable Codec codec;
        private long workedNs;

        Round(List<Integer> groups, long restingMs) {
            this.groups = new ArrayDeque<>(groups);
            this.restingMs = restingMs;
        }
    }

    /**
     * For a target.
     *
     * @param disk threads of its disk
     * @param codecs how the blobs of a group are to be packed; null when they are not
     * @param afterMs how long a blob rests before it is packed, above 0
     */
    Packing(
            ServerContext world,
            Executor disk,
            StorageTarget target,
            IntFunction<@Nullable Codec> codecs,
            long afterMs) {
        this.clock = world.clock();
        this.target = target;
        this.codecs = codecs;
        this.blobs = target.verification();
        this.pace = new Pace(target);
        this.afterMs = afterMs;
        this.loop =
                new StepLoop(
                        world,
                        target.directory(),
                        "nothing is packed now",
                        () -> CompletableFuture.runAsync(this::step, disk));
    }

    /** Begins, unless it has begun or is over. */
    void begin() {
        loop.begin();
    }

    /** Begins no other step; done, never failed, when the one under way has ended. */
    CompletableFuture<Void> end() {
        return loop.end();
    }

    /** Looks at some blobs until one was tried, or goes on to the next group. */
    void step() {
        Round now = current();
        long beganNs = clock.nanoTime();
        int looked = 0;
        boolean tried = false;
        while (!tried && !loop.isStopped() && looked < STEP_BLOBS && !now.rest.isEmpty()) {
            looked++;
            tried = look(now, now.rest.remove());
        }
        if (now.rest.isEmpty()) {
            next(now);
        }
        long nowNs = clock.nanoTime();
        now.workedNs += nowNs - beganNs;
        long waitMs =
                round == null
                        ? pauseMs(now)
                        : pace.pauseMs(nowNs, nowNs - beganNs, SHARE_PERCENT, 0, false);
        loop.dueAt(loop.nowMs() + waitMs);
    }

    /** From one round to the next. */
    private long pauseMs(Round over) {
        long workMs = over.workedNs / 1_000_000;
        return Math.max(MIN_ROUND_MS, Math.max(afterMs / 2, ROUND_PARTS * workMs));
    }

    private Round current() {
        Round known = round;
        if (known != null) {
            return known;
        }
        long wallMs = clock.wallNs() / 1_000_000;
        if (wallMs < lastWallMs) {
            seenMs.clear(); // The clock was set back.
        }
        lastWallMs = wallMs;
        List<Integer> packing =
                target.groups().stream().filter(group -> codecs.apply(group) != null).toList();
        Round fresh = new Round(packing, wallMs - afterMs);
        round = fresh;
        return fresh;
    }

    /** All of a group was looked at: the next one, or the end of the round. */
    private void next(Round now) {
        if (now.codec != null) {
            seenMs.put(now.group, now.restingMs);
        }
        Integer group = now.groups.poll();
        if (group == null) {
            round = null;
            failed = now.failed;
            return;
        }
        now.group = group;
        now.codec = null;
        Codec codec = codecs.apply(group);
        if (codec != null) {
            now.rest = new ArrayDeque<>(blobs.present(group));
            now.codec = codec;
        }
    }

    /**
     * Packs a blob if it rests and was not looked at since its last change. Whether it was tried:
     * one that did not become smaller took the disk's time as well.
     */
    private boolean look(Round now, BlobKey key) {
        Codec codec = now.codec;
        long seenBeforeMs = seenMs.getOrDefault(now.group, Long.MIN_VALUE);
        boolean tried = false;
        try {
            long modifiedMs = blobs.modifiedMs(key);
            boolean rests = modifiedMs >= 0 && modifiedMs <= now.restingMs;
            boolean isDue = modifiedMs > seenBeforeMs || failed.contains(key);
            if (codec != null && rests && isDue) {
                tried = true;
                boolean packed = blobs.pack(key, codec);
                LOG.debug("{}: {}", key, packed ? "packed" : "not packed until it is changed");
            }
        } catch (FsException e) {
            LOG.debug("{}: not packed now: {}", key, e.getMessage());
            if (now.failed.size() < MAX_FAILED) {
                now.failed.add(key);
            }
        }
        return tried;
    }
}
