package io.cairn.chunk.scrub;

import io.cairn.chunk.group.Groups;
import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.peer.PeerContext;
import io.cairn.chunk.store.StorageTarget;
import io.cairn.chunk.store.pack.Codec;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Pool;
import io.cairn.wire.scrub.ScrubReport;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Verification, mending and packing for all targets of a server. Thread-safe. */
public final class ScrubService {
    /** What is done for one target. */
    private record Care(Scrub scrub, Mending mending, Packing packing) {}

    private final Map<StorageTarget, Care> cares = new LinkedHashMap<>();
    private final Groups groups;

    /**
     * For some targets; does nothing yet.
     *
     * @param packAfterMs how long a blob rests before it is packed where that is wanted, above 0
     */
    public ScrubService(Groups groups, List<StorageTarget> targets, long packAfterMs) {
        this.groups = groups;
        for (StorageTarget target : targets) {
            PeerContext station = groups.station(target);
            Mending mending = new Mending(station, groups, target);
            cares.put(
                    target,
                    new Care(
                            new Scrub(station, groups, target, mending),
                            mending,
                            new Packing(
                                    station.world(),
                                    station.disk(),
                                    target,
                                    group -> codec(groups, target, group),
                                    packAfterMs)));
        }
    }

    /** How the blobs of a group are to be packed; null when they are not, or not served here. */
    private static @Nullable Codec codec(Groups groups, StorageTarget target, int group) {
        ClusterMap map = groups.map();
        PlacementGroup known = groups.find(group, target) == null ? null : map.group(group);
        Pool pool = known == null ? null : map.pool(known.poolId());
        return pool == null ? null : Codec.of(pool.compression());
    }

    /** Begins. */
    public void begin() {
        for (Care care : cares.values()) {
            care.mending.begin();
            care.scrub.begin();
        }
    }

    /** Begins nothing more; done, never failed, when what is under way has ended. */
    public CompletableFuture<Void> end() {
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        for (Care care : cares.values()) {
            ends.add(care.scrub.end());
            ends.add(care.mending.end());
            ends.add(care.packing.end());
        }
        return Futures.all(ends);
    }

    /** What the masters want from now on. With the first pool of a compression packing begins. */
    public void accept(ScrubReport.Orders orders) {
        cares.values().forEach(care -> care.scrub.accept(orders));
        for (Pool pool : groups.map().pools()) {
            if (Codec.of(pool.compression()) != null) {
                cares.values().forEach(care -> care.packing.begin());
                return;
            }
        }
    }

    /** Another map is in force: who could not be asked before may be asked now. */
    public void mapChanged() {
        cares.values().forEach(care -> care.mending.retry());
    }

    /** How far a target is verified. */
    public ScrubReport report(StorageTarget target) {
        Care care = cares.get(target);
        return care == null ? ScrubReport.NONE : care.scrub.report();
    }
}
