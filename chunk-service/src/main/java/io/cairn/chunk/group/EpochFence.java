package io.cairn.chunk.group;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashMap;
import java.util.Map;

/**
 * The youngest epoch of each group that anybody named, while it is younger than the map of this
 * server. From then on the server does nothing in an older epoch of that group: this is how a new
 * head stops a member that the master has taken out and that has not heard of it. A heartbeat that
 * was sent later and answered has brought whatever the master knows, so what was noted before is
 * then dropped: an invented epoch stops a group for one round trip. Thread-safe.
 */
public final class EpochFence {
    private static final int GROUPS = 4096;

    private record Floor(long epoch, long mark) {}

    @GuardedBy("this")
    private final Map<Integer, Floor> fence = new HashMap<>();

    private volatile boolean empty = true;

    @GuardedBy("this")
    private long overflowMark;

    @GuardedBy("this")
    private boolean overflow;

    @GuardedBy("this")
    private long lastMark;

    /** Somebody named an epoch that this server does not know. */
    public synchronized void note(int group, long epoch) {
        Floor present = fence.get(group);
        if (present == null && fence.size() >= GROUPS) {
            overflow = true;
            overflowMark = lastMark;
        } else if (present == null || present.epoch < epoch) {
            fence.put(group, new Floor(epoch, lastMark));
        }
        empty = false;
    }

    /** Whether somebody named a younger epoch of the group. */
    public boolean isAbove(int group, long epoch) {
        return !empty && lookUp(group, epoch);
    }

    private synchronized boolean lookUp(int group, long epoch) {
        Floor floor = fence.get(group);
        return overflow || (floor != null && floor.epoch > epoch);
    }

    /** A heartbeat is about to be sent: what was noted before is answered by it. */
    public synchronized long mark() {
        return ++lastMark;
    }

    /** The news of the heartbeat of this mark is in force. */
    public synchronized void clear(long mark) {
        fence.values().removeIf(floor -> floor.mark < mark);
        overflow &= overflowMark >= mark;
        empty = fence.isEmpty() && !overflow;
    }
}
