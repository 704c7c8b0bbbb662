package io.cairn.chunk.scrub;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.chunk.group.GroupService;
import io.cairn.chunk.group.Groups;
import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.peer.PeerContext;
import io.cairn.chunk.store.StorageTarget;
import io.cairn.chunk.store.blob.BlobVerification;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.wire.chunk.ChunkReply.ChunkState;
import io.cairn.wire.scrub.ScrubReport.Finding;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees that the damaged blobs of a target are replaced, however they were found: it asks the head
 * of the group at once, and again after longer and longer waits. It remembers the outcomes. A blob
 * that is in doubt after an unclean stop is brought to the head as well, but is no finding. One
 * whose key was dropped is left alone: no copy can be read. Thread-safe.
 */
final class Mending {
    private static final Logger LOG = LoggerFactory.getLogger(Mending.class);

    private static final long PERIOD_MS = 1_000;
    private static final long LONGEST_PAUSE_MS = 600_000;

    /** A blob that is not mended by then is told. */
    private static final long PATIENCE_MS = 30_000;

    /** Repairs that are begun in one round. */
    private static final int MAX_BEGUN = 64;

    /** Findings that are kept. */
    private static final int KEPT = 32;

    /** A blob that is not well, as far as is known. */
    private static final class Case {
        private final String reason;
        private final long sinceMs;
        private long pauseMs = PERIOD_MS;
        private long nextMs;
        private boolean told;

        Case(String reason, long nowMs) {
            this.reason = reason;
            this.sinceMs = nowMs;
            this.nextMs = nowMs;
        }
    }

    private final PeerContext station;
    private final Groups groups;
    private final StorageTarget target;
    private final BlobVerification verification;

    @GuardedBy("this")
    private final Map<BlobKey, Case> cases = new TreeMap<>();

    private final Deque<Finding> findings = new ArrayDeque<>();

    @GuardedBy("this")
    private CompletableFuture<Void> round = Futures.DONE;

    @GuardedBy("this")
    private boolean stopped;

    private long number;

    @GuardedBy("this")
    private long found;

    @GuardedBy("this")
    private long mended;

    Mending(PeerContext station, Groups groups, StorageTarget target) {
        this.station = station;
        this.groups = groups;
        this.target = target;
        this.verification = target.verification();
    }

    void begin() {
        station.world().scheduler().schedule(this::tick, PERIOD_MS);
    }

    /** Begins nothing more; done, never failed, when what is under way here has ended. */
    synchronized CompletableFuture<Void> end() {
        stopped = true;
        return round.exceptionally(thrown -> null);
    }

    /** Something was found: looks at once. */
    void hurry() {
        look();
    }

    /** The head of a group may be another one, or reachable again: all is tried once more. */
    synchronized void retry() {
        for (Case each : cases.values()) {
            each.nextMs = 0;
            each.pauseMs = PERIOD_MS;
        }
        look();
    }

    private void tick() {
        synchronized (this) {
            if (stopped) {
                return;
            }
        }
        look();
        station.world().scheduler().schedule(this::tick, PERIOD_MS);
    }

    private synchronized void look() {
        boolean any = !cases.isEmpty() || verification.hasTroubles();
        if (stopped || !any || !round.isDone()) {
            return;
        }
        CompletableFuture<Void> begun = station.doOnDisk(this::round);
        round = begun;
        Futures.finish(
                begun,
                (done, thrown) -> {
                    if (thrown != null) {
                        String reason = Futures.failure(thrown).getMessage();
                        LOG.debug("{}: not mended now: {}", target.directory(), reason);
                    }
                });
    }

    private void round() {
        long nowMs = station.world().clock().millis();
        verification.takeFound().forEach((key, reason) -> begin(key, new Case(reason, nowMs)));
        for (BlobKey key : target.doubtful()) {
            if (verification.isInDoubt(key)) {
                begin(key, new Case("", nowMs));
            }
        }
        int begun = 0;
        for (Map.Entry<BlobKey, Case> each : open()) {
            if (verification.isLost(each.getKey())) {
                forget(each.getKey());
            } else if (!target.isDoubtful(each.getKey())) {
                closed(each.getKey(), each.getValue());
            } else if (begun < MAX_BEGUN && isDue(each.getKey(), each.getValue(), nowMs)) {
                begun++;
                repair(each.getKey());
            }
        }
    }

    private synchronized void begin(BlobKey key, Case fresh) {
        if (cases.putIfAbsent(key, fresh) == null && !fresh.reason.isEmpty()) {
            found++;
        }
    }

    private synchronized void forget(BlobKey key) {
        cases.remove(key);
    }

    private synchronized List<Map.Entry<BlobKey, Case>> open() {
        return List.copyOf(cases.entrySet());
    }

    private synchronized boolean isDue(BlobKey key, Case open, long nowMs) {
        if (!open.told && nowMs - open.sinceMs >= PATIENCE_MS) {
            open.told = true;
            tell(key, open, false);
        }
        if (nowMs < open.nextMs) {
            return false;
        }
        open.nextMs = nowMs + open.pauseMs;
        open.pauseMs = Math.min(2 * open.pauseMs, LONGEST_PAUSE_MS);
        return true;
    }

    private void repair(BlobKey key) {
        GroupService part = groups.find(key.group(), target);
        if (part != null) {
            part.repair().begin(target.stat(key.group(), key.oid(), key.index()));
        }
    }

    /** It is well again, or deleted. */
    private void closed(BlobKey key, Case open) {
        ChunkState state = target.stat(key.group(), key.oid(), key.index());
        synchronized (this) {
            cases.remove(key);
            if (state.sequence() > 0 && !open.reason.isEmpty()) {
                mended++;
                tell(key, open, true);
            }
        }
    }

    private void tell(BlobKey key, Case open, boolean isMended) {
        if (open.reason.isEmpty()) {
            return;
        }
        number++;
        findings.addLast(
                new Finding(number, key.group(), key.oid(), key.index(), isMended, open.reason));
        if (findings.size() > KEPT) {
            findings.removeFirst();
        }
    }

    /** Damaged blobs so far. */
    synchronized long found() {
        return found;
    }

    /** Of those, how many are well again. */
    synchronized long mended() {
        return mended;
    }

    /** The last outcomes, the oldest first. */
    synchronized List<Finding> findings() {
        return List.copyOf(findings);
    }
}
