package io.cairn.chunk.peer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.wire.chunk.ObjectFence;
import java.util.TreeMap;

/**
 * The objects that snapshots have: clients must not change them any more. The masters tell the
 * first object that may be changed, before this server gets a lease, and take a snapshot only when
 * every server says that no older change is under way. Thread-safe.
 */
public final class SnapshotFence {
    @GuardedBy("this")
    private final TreeMap<Long, Integer> running = new TreeMap<>();

    @GuardedBy("this")
    private ObjectFence fence = ObjectFence.NONE;

    /** The masters have decided; nothing happens when that is older than what is known. */
    public synchronized void raise(ObjectFence decided) {
        if (decided.version() > fence.version()) {
            fence = decided;
        }
    }

    /**
     * A change of an object begins.
     *
     * @return to be given to {@link #leave} when it has ended
     * @throws FsException EROFS when snapshots have it: the client is to ask for a new object
     */
    public synchronized long enter(long oid) {
        if (oid < fence.firstOid()) {
            throw new FsException(
                    Errno.EROFS, "object " + Long.toHexString(oid) + " belongs to a snapshot");
        }
        running.merge(fence.version(), 1, Integer::sum);
        return fence.version();
    }

    /** A change that was begun under a version has ended. */
    public synchronized void leave(long version) {
        running.computeIfPresent(version, (_, count) -> count == 1 ? null : count - 1);
    }

    /** The version that all changes keep to which are under way. */
    public synchronized long reached() {
        return running.isEmpty() ? fence.version() : running.firstKey();
    }
}
