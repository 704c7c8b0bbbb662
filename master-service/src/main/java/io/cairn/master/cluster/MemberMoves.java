package io.cairn.master.cluster;

import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Layout;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Target;
import io.cairn.master.cluster.move.MoveDecision;
import io.cairn.master.cluster.move.MoveLimits;
import io.cairn.master.cluster.move.MoveProgress;
import io.cairn.master.cluster.move.TargetView;
import io.cairn.master.cluster.move.TargetView.Presence;
import io.cairn.runtime.Clock;
import io.cairn.wire.chunk.CopyLimits;
import io.cairn.wire.master.ClusterRequest.Cleared;
import io.cairn.wire.master.ClusterRequest.Damage;
import io.cairn.wire.master.ClusterRequest.Stored;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Looks once a second which members have to move, and which targets have deleted what they left.
 * Guarded by {@link ServerWatch}.
 */
final class MemberMoves {
    private static final long LOOK_MS = 1_000;
    private static final int NOTES = 4;
    private static final long SPEED_MS = 10_000;
    private static final long MAX_CHUNK_BYTES = 1L << Layout.STANDARD_CHUNK_SIZE_LOG2;

    private final Clock clock;
    private final Supplier<MoveLimits> limits;
    private final Map<Integer, Long> awaySinceMs = new HashMap<>();
    private MoveLimits known = MoveLimits.STANDARD;
    private long nextMs;
    private MoveProgress progress = MoveProgress.NONE;
    private long progressSinceMs;
    private long progressSinceBytes;

    /** On a clock that stands still while this process does. */
    MemberMoves(Clock clock, Supplier<MoveLimits> limits) {
        this.clock = clock;
        this.limits = limits;
    }

    /** Another master has led. */
    void clear() {
        awaySinceMs.clear();
        progress = MoveProgress.NONE;
        nextMs = 0;
    }

    /** Whether it is time to look again. */
    boolean isDue() {
        return clock.millis() >= nextMs;
    }

    /** Puts what has to change into the draft, for groups that nothing else changes. */
    void decide(MapDraft draft, List<ServerView> views) {
        nextMs = clock.millis() + LOOK_MS;
        known = limits.get();
        Map<Integer, TargetView> targets = targets(draft, views);
        new MoveDecision(draft.map(), targets, known)
                .decide(group -> !draft.changes(group.id()))
                .forEach(draft::put);
        forget(draft, views);
        follow(MoveProgress.of(draft.map(), targets, chunkBytes(views)));
    }

    /** What is still to be copied. */
    MoveProgress progress() {
        return progress;
    }

    /** Tells the speed from what became of it since about ten seconds, or longer if it stands. */
    private void follow(MoveProgress now) {
        long ms = clock.millis() - progressSinceMs;
        long done = progressSinceBytes - now.bytesLeft();
        if (progress.bytesLeft() == 0 || done < 0) {
            progressSinceMs = clock.millis();
            progressSinceBytes = now.bytesLeft();
        } else if (ms >= SPEED_MS) {
            progress = now.at(done * 1000 / ms);
            progressSinceMs = clock.millis();
            progressSinceBytes = now.bytesLeft();
            return;
        }
        progress = now.at(progress.bytesPerSecond());
    }

    /** What a chunk takes on the disks on average, whatever else is on them. */
    private static long chunkBytes(List<ServerView> views) {
        DiskSpace space = new DiskSpace();
        long chunks = 0;
        for (ServerView view : views) {
            for (TargetReport report : view.alive() ? view.targets() : List.<TargetReport>of()) {
                space.add(report, true);
                chunks += report.chunks();
            }
        }
        long used = space.totalBytes() - space.freeBytes();
        return chunks == 0 ? 0 : Math.min(used / chunks, MAX_CHUNK_BYTES);
    }

    /** How fast chunk servers may copy. */
    CopyLimits copyLimits() {
        return new CopyLimits(known.repairShare(), known.moveBytes());
    }

    private Map<Integer, TargetView> targets(MapDraft draft, List<ServerView> views) {
        ClusterMap map = draft.map();
        Map<String, ServerView> byName = new HashMap<>();
        views.forEach(view -> byName.put(view.name(), view));
        Map<Integer, TargetView> targets = new TreeMap<>();
        long wallMs = clock.wallNs() / 1_000_000;
        for (Target target : map.targets()) {
            ChunkServer server = map.server(target.serverId());
            ServerView view = server == null ? null : byName.get(server.name());
            boolean alive = view != null && view.alive();
            TargetReport report = alive && view != null ? view.target(target.identity()) : null;
            boolean maintained = server != null && server.isMaintained(wallMs);
            Presence presence = presence(target, report);
            if (presence == Presence.LOST && maintained) {
                presence = Presence.AWAY;
            }
            note(draft, target);
            targets.put(target.id(), view(target, report, presence, maintained));
        }
        awaySinceMs.keySet().removeIf(id -> !targets.containsKey(id));
        return targets;
    }

    private static TargetView view(
            Target target, @Nullable TargetReport report, Presence presence, boolean maintained) {
        return new TargetView(
                target.id(),
                target.serverId(),
                presence,
                target.isDraining(),
                report == null || maintained ? 0 : report.capacityBytes(),
                report == null || maintained ? 0 : report.freeBytes(),
                report == null
                        ? Map.of()
                        : report.holdings().stored().stream()
                                .collect(Collectors.toMap(Stored::group, Stored::chunks)),
                report == null || report.damages().size() >= TargetReport.MAX_DAMAGES
                        ? null
                        : report.damages().stream().map(Damage::group).collect(Collectors.toSet()));
    }

    private Presence presence(Target target, @Nullable TargetReport report) {
        if (report != null && report.healthy()) {
            awaySinceMs.remove(target.id());
            return Presence.HERE;
        }
        long now = clock.millis();
        long since = awaySinceMs.computeIfAbsent(target.id(), _ -> now - target.absentMs());
        boolean failed = report != null || target.serverId() == 0;
        return failed || now - since >= known.graceMs() ? Presence.LOST : Presence.AWAY;
    }

    /**
     * Puts into the map for how long a target is away, a few times in the grace time, so that it
     * comes to an end also if the leader changes again and again.
     */
    private void note(MapDraft draft, Target target) {
        Long since = awaySinceMs.get(target.id());
        long absentMs = since == null ? 0 : clock.millis() - since;
        long step = Math.max(LOOK_MS, known.graceMs() / NOTES);
        boolean returned = absentMs == 0 && target.absentMs() > 0;
        boolean counts = target.absentMs() < known.graceMs();
        if (returned || (counts && absentMs - target.absentMs() >= step)) {
            draft.put(target.absent(absentMs));
        }
    }

    /** Groups forget targets that have deleted what they had of them, or that are no more. */
    private static void forget(MapDraft draft, List<ServerView> views) {
        ClusterMap map = draft.map();
        Set<Left> cleared = new HashSet<>();
        for (ServerView view : views) {
            for (TargetReport report : view.targets()) {
                Target target = map.targetOf(report.identity());
                if (target != null) {
                    for (Cleared each : report.holdings().cleared()) {
                        cleared.add(new Left(each.group(), each.epoch(), target.id()));
                    }
                }
            }
        }
        for (PlacementGroup group : map.groups()) {
            if (!group.left().isEmpty() && !draft.changes(group.id())) {
                draft.put(
                        group.withLeft(
                                group.left().stream()
                                        .filter(id -> map.target(id) != null)
                                        .filter(
                                                id ->
                                                        !cleared.contains(
                                                                new Left(
                                                                        group.id(),
                                                                        group.epoch(),
                                                                        id)))
                                        .toList()));
            }
        }
    }

    private record Left(int group, long epoch, int targetId) {}
}
