package io.cairn.chunk;

import java.util.HashMap;
import java.util.Map;

/**
 * The youngest epoch of each group that anybody named, while it is younger than the map of this
 * server. From then on the server does nothing in an older epoch of that group: this is how a new
 * head stops a member that the master has taken out and that has not heard of it. A heartbeat that
 * was sent later and answered has brought whatever the master knows, so what was noted before is
 * then dropped: an invented epoch stops a group for one round trip. Thread-safe.
 */
final class Floors {
    private static final int GROUPS = 4096;

    private record Floor(long epoch, long notedNs) {}

    private final Map<Integer, Floor> floors = new HashMap<>();
    private volatile boolean empty = true;
    private long overflowNs;
    private boolean overflow;

    /** Somebody named an epoch that this server does not know. */
    synchronized void note(int group, long epoch, long nowNs) {
        Floor present = floors.get(group);
        if (present == null && floors.size() >= GROUPS) {
            overflow = true;
            overflowNs = nowNs;
        } else if (present == null || present.epoch < epoch) {
            floors.put(group, new Floor(epoch, nowNs));
        }
        empty = false;
    }

    /** Whether somebody named a younger epoch of the group. */
    boolean isAbove(int group, long epoch) {
        return !empty && lookUp(group, epoch);
    }

    private synchronized boolean lookUp(int group, long epoch) {
        Floor floor = floors.get(group);
        return overflow || (floor != null && floor.epoch > epoch);
    }

    /** What a heartbeat sent at this time brought is in force. */
    synchronized void clear(long sentNs) {
        floors.values().removeIf(floor -> floor.notedNs - sentNs < 0);
        overflow &= overflowNs - sentNs >= 0;
        empty = floors.isEmpty() && !overflow;
    }
}
