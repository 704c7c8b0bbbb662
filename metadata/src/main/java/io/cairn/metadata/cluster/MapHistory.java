package io.cairn.metadata.cluster;

import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.MapDelta;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The last cluster maps, so that everybody who has one of them can be told what changed since. They
 * share what they have in common, which is nearly everything. No part of the replicated state: who
 * has an older map than these is told the whole. Thread-safe.
 */
public final class MapHistory {
    /** How many are kept: half a minute of a master that changes the map with every look. */
    static final int MAPS = 256;

    private final ConcurrentSkipListMap<Long, ClusterMap> maps = new ConcurrentSkipListMap<>();
    private volatile ClusterMap youngest = ClusterMap.EMPTY;

    /** Begins with a map. */
    public MapHistory(ClusterMap first) {
        add(first);
    }

    /** Takes note of the present map, which may be the one from before; one thread at a time. */
    public void add(ClusterMap map) {
        if (map.epoch() > youngest.epoch()) {
            maps.put(map.epoch(), map);
            if (maps.size() > MAPS) {
                maps.pollFirstEntry();
            }
            youngest = map;
        }
    }

    /** The present map. */
    public ClusterMap youngest() {
        return youngest;
    }

    /** The difference of the present map from that of an epoch. */
    public MapDelta since(long epoch) {
        return since(epoch, youngest);
    }

    private MapDelta since(long epoch, ClusterMap map) {
        return map.since(maps.getOrDefault(epoch, ClusterMap.EMPTY));
    }

    /** A part of that, as it was asked for. */
    public Reply.MapReply answer(Query.GetMap query) {
        ClusterMap now = youngest;
        ClusterMap wanted = maps.get(query.wantedEpoch());
        boolean goesOn = wanted != null && query.wantedEpoch() > 0 && query.at() > 0;
        if (!goesOn && now.epoch() <= query.knownEpoch()) {
            return new Reply.MapReply(null);
        }
        return new Reply.MapReply(
                since(query.knownEpoch(), wanted != null && goesOn ? wanted : now)
                        .part(goesOn ? query.at() : 0));
    }
}
