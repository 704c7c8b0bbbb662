package io.cairn.cluster;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Brings a copy of the cluster map up to date, part by part. A master that does not remember the
 * map which the parts were of begins anew with a younger one. Use each object once; not
 * thread-safe.
 */
public final class MapFetch {
    private final ClusterMap known;
    private final List<MapDelta.Part> parts = new ArrayList<>();
    private ClusterMap map;

    /** From the map that is known. */
    public MapFetch(ClusterMap known) {
        this.known = known;
        this.map = known;
    }

    /** Epoch of the map that it begins with. */
    public long knownEpoch() {
        return known.epoch();
    }

    /** Epoch of the map that the parts so far are of; 0 before the first one. */
    public long wantedEpoch() {
        return parts.isEmpty() ? 0 : parts.getLast().delta().to();
    }

    /** Where the next part begins. */
    public int at() {
        return parts.isEmpty() ? 0 : parts.getLast().end();
    }

    /**
     * Takes the next part, or null when there is nothing younger; whether the map is complete, and
     * nothing is to be asked any more.
     */
    public boolean take(MapDelta.@Nullable Part part) {
        if (part == null) {
            return true;
        }
        if (!follows(part)) {
            parts.clear();
            if (part.at() != 0) {
                return false;
            }
        }
        parts.add(part);
        if (!part.last()) {
            return false;
        }
        MapDelta delta = MapDelta.join(parts);
        map = known.takes(delta) && delta.to() > known.epoch() ? known.with(delta) : known;
        return true;
    }

    private boolean follows(MapDelta.Part part) {
        if (parts.isEmpty()) {
            return part.at() == 0;
        }
        MapDelta.Part before = parts.getLast();
        return part.at() == before.end()
                && part.delta().from() == before.delta().from()
                && part.delta().to() == before.delta().to();
    }

    /** The youngest map that is complete. */
    public ClusterMap map() {
        return map;
    }
}
