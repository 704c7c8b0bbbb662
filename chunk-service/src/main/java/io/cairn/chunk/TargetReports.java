package io.cairn.chunk;

import io.cairn.base.FsException;
import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.store.StorageTarget;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import io.cairn.wire.master.ClusterRequest.Damage;
import io.cairn.wire.master.ClusterRequest.TargetReport;
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

    /** The reported damage is enough for people to look there. */
    private static final int MAX_GROUPS = 64;

    /** So long a report waits for a disk. */
    private static final long WAIT_MS = 1_000;

    /** A disk that has not answered for so long counts as failed. */
    private static final long HANGING_MS = 10_000;

    private final List<Look> looks = new ArrayList<>();
    private final Function<StorageTarget, Executor> disks;
    private final Clock clock;
    private final Scheduler scheduler;

    TargetReports(
            List<StorageTarget> targets,
            Function<StorageTarget, Executor> disks,
            Clock clock,
            Scheduler scheduler) {
        this.disks = disks;
        this.clock = clock;
        this.scheduler = scheduler;
        targets.forEach(target -> looks.add(new Look(target)));
    }

    /** One for each target, in their order: never failed, and done after a second at the latest. */
    CompletableFuture<List<TargetReport>> list() {
        List<CompletableFuture<Void>> begun = new ArrayList<>();
        looks.forEach(look -> begun.add(look.begin()));
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
            FsException error = null;
            try {
                report =
                        of(
                                target,
                                target.capacityBytes(),
                                target.freeBytes(),
                                target.healthy(),
                                target.filesystem());
            } catch (FsException e) {
                error = e;
                report = of(target, 0, 0, false, 0);
            }
            synchronized (this) {
                last = report;
                if (error == null && failed) {
                    LOG.info("{} answers again", target.directory());
                }
                tell(error == null ? "" : String.valueOf(error.getMessage()));
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
            if (silentMs >= HANGING_MS) {
                tell(
                        "The disk of %s has not answered for %d s"
                                .formatted(target.directory(), silentMs / 1000));
            }
            if (known == null) {
                return new TargetReport(
                        target.identity(),
                        0,
                        0,
                        0,
                        silentMs < HANGING_MS,
                        0,
                        target.directory().toAbsolutePath().toString(),
                        target.load(),
                        List.of(),
                        List.of());
            }
            return silentMs < HANGING_MS ? known : failed(known);
        }
    }

    private static TargetReport failed(TargetReport known) {
        return new TargetReport(
                known.identity(),
                0,
                0,
                known.chunks(),
                false,
                0,
                known.directory(),
                known.load(),
                known.damages(),
                known.starts());
    }

    private static TargetReport of(
            StorageTarget target, long capacityBytes, long freeBytes, boolean healthy, long disk) {
        return new TargetReport(
                target.identity(),
                capacityBytes,
                freeBytes,
                target.chunkCount(),
                healthy,
                disk,
                target.directory().toAbsolutePath().toString(),
                target.load(),
                damages(target),
                target.starts().list());
    }

    private static List<Damage> damages(StorageTarget target) {
        Map<Integer, Integer> chunks = new TreeMap<>();
        target.doubtful().forEach(blob -> chunks.merge(blob.group(), 1, Integer::sum));
        return chunks.entrySet().stream()
                .limit(MAX_GROUPS)
                .map(each -> new Damage(each.getKey(), each.getValue()))
                .toList();
    }
}
