package io.cairn.chunk;

import io.cairn.base.FsException;
import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.store.StorageTarget;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import io.cairn.wire.master.ClusterRequest.Cleared;
import io.cairn.wire.master.ClusterRequest.Damage;
import io.cairn.wire.master.ClusterRequest.Holdings;
import io.cairn.wire.master.ClusterRequest.Stored;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import io.cairn.wire.scrub.ScrubReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports of the targets of a server, for its heartbeats. A disk that does not even tell its size
 * is reported as failed, and so is one that does not answer at all; the others of the server go on.
 * Thread-safe.
 */
final class TargetReports {
    private static final Logger LOG = LoggerFactory.getLogger(TargetReports.class);

    /** So long the first report waits for a disk. */
    private static final long WAIT_MS = 1_000;

    /** A disk that has not answered for so long counts as failed. */
    private static final long HANGING_MS = 10_000;

    private final List<Look> looks = new ArrayList<>();
    private final Function<StorageTarget, Executor> disks;
    private final Function<StorageTarget, ScrubReport> scrubs;
    private final Function<StorageTarget, List<Cleared>> cleared;
    private final Clock clock;
    private final Scheduler scheduler;

    TargetReports(
            List<StorageTarget> targets,
            Function<StorageTarget, Executor> disks,
            Function<StorageTarget, ScrubReport> scrubs,
            Function<StorageTarget, List<Cleared>> cleared,
            Clock clock,
            Scheduler scheduler) {
        this.disks = disks;
        this.scrubs = scrubs;
        this.cleared = cleared;
        this.clock = clock;
        this.scheduler = scheduler;
        targets.forEach(target -> looks.add(new Look(target)));
    }

    /**
     * One for each target, in their order: never failed. Done at once when all disks have been
     * looked at, and after a second at the latest.
     */
    CompletableFuture<List<TargetReport>> list() {
        List<CompletableFuture<Void>> begun = new ArrayList<>();
        looks.forEach(look -> begun.add(look.begin()));
        if (looks.stream().allMatch(Look::isKnown)) {
            return CompletableFuture.completedFuture(looks.stream().map(Look::report).toList());
        }
        CompletableFuture<Void> all = Futures.all(begun);
        CompletableFuture<Void> enough = new CompletableFuture<>();
        Scheduler.Timer timer = scheduler.schedule(() -> enough.complete(null), WAIT_MS);
        Futures.finish(
                all,
                (done, thrown) -> {
                    timer.cancel();
                    enough.complete(null);
                });
        return enough.thenApply(done -> looks.stream().map(Look::report).toList());
    }

    /** Targets that have not answered yet. */
    List<StorageTarget> silent() {
        return looks.stream().filter(Look::isUnderWay).map(look -> look.target).toList();
    }

    /** The known state of one target. */
    private final class Look {
        private final StorageTarget target;
        private CompletableFuture<Void> underWay = Futures.DONE;
        private long sinceMs;
        private @Nullable TargetReport last;
        private boolean failed;

        Look(StorageTarget target) {
            this.target = target;
        }

        /** Whether it has ever answered: then nobody waits for the next answer. */
        synchronized boolean isKnown() {
            return last != null;
        }

        synchronized boolean isUnderWay() {
            return !underWay.isDone();
        }

        /** Asks the target; a question that is under way is waited for by who asked it. */
        synchronized CompletableFuture<Void> begin() {
            if (isUnderWay()) {
                return Futures.DONE;
            }
            sinceMs = clock.millis();
            Executor disk = disks.apply(target);
            underWay = Futures.guarded(() -> CompletableFuture.runAsync(this::ask, disk));
            return underWay.exceptionally(stopping -> null);
        }

        private void ask() {
            TargetReport report;
            String trouble = "";
            try {
                target.requireHere();
                long capacity = target.capacityBytes();
                long free = target.freeBytes();
                report = of(target, capacity, free, target.fault(), target.filesystem());
            } catch (FsException e) {
                trouble = target.fault();
                trouble = trouble.isEmpty() ? String.valueOf(e.getMessage()) : trouble;
                report = of(target, 0, 0, trouble, 0);
            }
            synchronized (this) {
                last = report;
                if (trouble.isEmpty() && failed) {
                    LOG.info("{} answers again", target.directory());
                }
                tell(trouble);
            }
        }

        private void tell(String trouble) {
            if (!trouble.isEmpty() && !failed) {
                LOG.error(
                        "{}; the target counts as failed until it answers: look at the disk",
                        trouble);
            }
            failed = !trouble.isEmpty();
        }

        /** Its last report; without asking the disk. */
        synchronized TargetReport report() {
            long silentMs = isUnderWay() ? clock.millis() - sinceMs : 0;
            TargetReport known = last;
            String fault = "";
            if (silentMs >= HANGING_MS) {
                fault = "it has not answered for %d s".formatted(silentMs / 1000);
                tell("The disk of %s hangs: %s".formatted(target.directory(), fault));
            }
            if (known == null) {
                return of(target.identity(), new Room(0, 0, 0, 0), fault, List.of(), List.of());
            }
            return fault.isEmpty()
                    ? known
                    : of(
                            known.identity(),
                            new Room(0, 0, known.chunks(), 0),
                            fault,
                            known.damages(),
                            known.starts());
        }

        private TargetReport of(
                StorageTarget asked, long capacity, long free, String fault, long disk) {
            return of(
                    asked.identity(),
                    new Room(capacity, free, asked.chunks().total(), disk),
                    fault,
                    damages(asked),
                    asked.starts().list());
        }

        private Holdings holdings() {
            // Before it is counted: what is told to be deleted must not count as there.
            List<Cleared> deleted = cleared.apply(target);
            List<Stored> stored =
                    target.chunks().byGroup().entrySet().stream()
                            .map(each -> new Stored(each.getKey(), each.getValue()))
                            .toList();
            return new Holdings(stored, deleted);
        }

        private TargetReport of(
                long identity, Room room, String fault, List<Damage> damages, List<Long> starts) {
            return new TargetReport(
                    identity,
                    room.capacityBytes,
                    room.freeBytes,
                    room.chunks,
                    fault.isEmpty(),
                    room.disk,
                    target.directory().toAbsolutePath().toString(),
                    target.load(),
                    damages,
                    starts,
                    fault,
                    scrubs.apply(target),
                    holdings(),
                    target.verification().savingBytes());
        }
    }

    /** What a disk tells of itself. */
    private record Room(long capacityBytes, long freeBytes, long chunks, long disk) {}

    private static List<Damage> damages(StorageTarget target) {
        Map<Integer, Integer> chunks = new TreeMap<>();
        for (BlobKey blob : target.doubtful()) {
            if (!target.verification().isLost(blob)) {
                chunks.merge(blob.group(), 1, Integer::sum);
            }
        }
        return chunks.entrySet().stream()
                .limit(TargetReport.MAX_DAMAGES)
                .map(each -> new Damage(each.getKey(), each.getValue()))
                .toList();
    }
}
