package io.cairn.chunk.scrub;

import io.cairn.chunk.group.GroupService;
import io.cairn.chunk.group.Groups;
import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.peer.PeerContext;
import io.cairn.chunk.store.StorageTarget;
import io.cairn.chunk.store.blob.BlobVerification;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.format.ScrubPosition;
import io.cairn.wire.scrub.ScrubReport;
import io.cairn.wire.scrub.ScrubReport.Order;
import io.cairn.wire.scrub.ScrubReport.Orders;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Verifies all blobs of a target in passes, each of them spread over the period. A pass that an
 * operator has ordered begins at once and does not wait. Where it is outlives the process.
 * Thread-safe.
 */
final class Scrub {
    private static final Logger LOG = LoggerFactory.getLogger(Scrub.class);

    /** Part of the period that a pass takes, in percent: the rest is for a server that was away. */
    private static final int PASS_PERCENT = 90;

    private static final long KEEP_MS = 30_000;

    private final PeerContext station;
    private final Groups groups;
    private final StorageTarget target;
    private final BlobVerification verification;
    private final Mending mending;
    private final Pace pace;
    private volatile Orders orders = Orders.STANDARD;
    private volatile @Nullable ScrubPosition position;
    private final StepLoop loop;

    // Of the step under way.
    private Deque<BlobKey> rest = new ArrayDeque<>();
    private @Nullable BlobKey blob;
    private int at;
    private long keptMs;

    Scrub(PeerContext station, Groups groups, StorageTarget target, Mending mending) {
        this.station = station;
        this.groups = groups;
        this.target = target;
        this.verification = target.verification();
        this.mending = mending;
        this.pace = new Pace(target);
        this.loop =
                new StepLoop(
                        station.world(),
                        target.directory(),
                        "not verified now",
                        () -> station.fromDisk(this::step));
    }

    /** Begins. */
    void begin() {
        loop.begin();
    }

    /** Begins no other step; done, never failed, when the one under way has ended. */
    CompletableFuture<Void> end() {
        return loop.end();
    }

    /** What the masters want. */
    void accept(Orders wanted) {
        boolean news = !wanted.equals(orders);
        orders = wanted;
        if (news) {
            loop.dueAt(0);
        }
    }

    private long order() {
        for (Order each : orders.orders()) {
            if (each.target() == target.identity()) {
                return each.number();
            }
        }
        return 0;
    }

    private long wallMs() {
        return station.world().clock().wallNs() / 1_000_000;
    }

    private long passMs() {
        return orders.periodMs() * PASS_PERCENT / 100;
    }

    /** One read, or the step from one group to the next. */
    private CompletableFuture<Void> step() {
        ScrubPosition now = current();
        if (now.over()) {
            loop.dueAt(loop.nowMs() + StepLoop.TICK_MS);
            return Futures.DONE;
        }
        BlobKey reading = blob == null ? rest.poll() : blob;
        if (reading == null) {
            return nextGroup(now);
        }
        long beganNs = station.world().clock().nanoTime();
        BlobVerification.Step done = verification.verify(reading, blob == null ? 0 : at);
        blob = done.nextBytes() < 0 ? null : reading;
        at = done.nextBytes();
        if (blob == null) {
            position = now.after(reading);
            if (loop.nowMs() - keptMs > KEEP_MS) {
                keep();
            }
        }
        if (!done.good()) {
            mending.hurry();
        }
        loop.dueAt(loop.nowMs() + pauseMs(now, beganNs));
        return Futures.DONE;
    }

    private long pauseMs(ScrubPosition before, long beganNs) {
        long nowNs = station.world().clock().nanoTime();
        long left = Math.max(1, target.chunks().total() - before.blobs());
        long plannedMs = (before.beganMs() + passMs() - wallMs()) / left;
        boolean isLate = before.order() != 0 || plannedMs <= 0;
        return pace.pauseMs(
                nowNs,
                nowNs - beganNs,
                orders.sharePercent(),
                isLate || blob != null ? 0 : plannedMs,
                isLate);
    }

    /** Where the pass is that goes on; a new one when the last is over, or one was ordered. */
    private ScrubPosition current() {
        ScrubPosition known = position;
        if (known == null) {
            ScrubPosition kept = verification.position();
            if (kept != null && kept.beganMs() > wallMs()) {
                kept = null;
            }
            Map<Integer, Long> verified = new TreeMap<>();
            for (int group : target.groups()) {
                Long since = kept == null ? null : kept.verified().get(group);
                verified.put(group, since == null ? 0 : since);
            }
            known = kept != null ? kept.with(verified) : ScrubPosition.begin(wallMs(), 0, verified);
            position = known;
            read(known);
        }
        long order = order();
        boolean ordered = order != 0 && order != known.order();
        boolean due = known.over() && wallMs() - known.beganMs() >= passMs();
        if (ordered || due) {
            known = ScrubPosition.begin(wallMs(), ordered ? order : 0, known.verified());
            position = known;
            blob = null;
            rest = new ArrayDeque<>();
        }
        return watched(known);
    }

    /** Of a group that has come since, everything was written since. */
    private ScrubPosition watched(ScrubPosition known) {
        List<Integer> all = target.groups();
        if (known.verified().keySet().containsAll(all)) {
            return known;
        }
        Map<Integer, Long> verified = new TreeMap<>(known.verified());
        all.forEach(group -> verified.putIfAbsent(group, wallMs()));
        ScrubPosition more = known.with(verified);
        position = more;
        return more;
    }

    private void read(ScrubPosition from) {
        BlobKey last = from.last();
        blob = null;
        rest = new ArrayDeque<>();
        for (BlobKey key : verification.blobs(last.group())) {
            if (key.compareTo(last) > 0) {
                rest.add(key);
            }
        }
    }

    private CompletableFuture<Void> nextGroup(ScrubPosition now) {
        int read = now.last().group();
        GroupService part = groups.find(read, target);
        if (part == null) {
            return goOn(now);
        }
        return part.member()
                .compareCopies()
                .exceptionally(
                        thrown -> {
                            LOG.info(
                                    "Copies of group {} cannot be compared now: {}",
                                    read,
                                    Futures.failure(thrown).getMessage());
                            return null;
                        })
                .thenComposeAsync(compared -> goOn(now), station.disk());
    }

    private CompletableFuture<Void> goOn(ScrubPosition now) {
        int group =
                target.groups().stream()
                        .filter(each -> each > now.last().group())
                        .findFirst()
                        .orElse(0);
        ScrubPosition next = now.next(group, wallMs());
        position = next;
        loop.dueAt(0);
        if (group != 0) {
            read(next);
        } else {
            keep();
            LOG.info("{}: all {} blobs were verified", target.directory(), now.blobs());
        }
        return Futures.DONE;
    }

    private void keep() {
        ScrubPosition known = position;
        keptMs = loop.nowMs();
        if (known != null) {
            verification.keep(known);
        }
    }

    /** How far it is; asks no disk. */
    ScrubReport report() {
        ScrubPosition shown = position;
        if (shown == null) {
            return ScrubReport.NONE;
        }
        return new ScrubReport(
                shown.verifiedMs() == 0 ? -1 : Math.max(0, wallMs() - shown.verifiedMs()),
                Math.max(0, wallMs() - shown.beganMs()),
                shown.blobs(),
                Math.max(shown.blobs(), target.chunks().total()),
                shown.over(),
                shown.order(),
                verification.readBytes(),
                verification.verifiedBlobs(),
                mending.found(),
                mending.mended(),
                verification.quarantined(),
                mending.findings());
    }
}
