package io.cairn.metadata.state;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import java.util.List;
import java.util.Set;

/**
 * The moments that live snapshots show: what a mutation replaces or gives up is kept for those that
 * need it. Belongs to the apply thread.
 */
public final class History {
    private List<Point> points = List.of();
    private Set<Long> roots = Set.of();
    private boolean isTaking;
    private long fenceOid;

    /**
     * The moment of a snapshot.
     *
     * @param version the last mutation that it shows
     * @param firstOid objects with smaller numbers existed then
     */
    public record Point(long version, long firstOid) {
        /** Whether it shows a record that was written by one mutation and replaced by another. */
        public boolean shows(long fromVersion, long endVersion) {
            return fromVersion <= version && version < endVersion;
        }
    }

    /** Takes the moments of all live snapshots, in the order of their versions. */
    public void set(List<Point> all) {
        points = List.copyOf(all);
    }

    /** Takes the directories that have snapshots. */
    public void setRoots(Set<Long> inos) {
        roots = Set.copyOf(inos);
    }

    /** Fails with ENOTEMPTY for a directory with snapshots: nobody would find them without it. */
    public void requireNoRoot(long ino) {
        if (roots.contains(ino)) {
            throw new FsException(
                    Errno.ENOTEMPTY, "directory " + ino + " has snapshots: drop these first");
        }
    }

    /** Chunk servers refuse changes of objects with smaller numbers. */
    public void setFence(long firstOid) {
        fenceOid = firstOid;
    }

    /** Chunk servers refuse changes of objects with smaller numbers; 0 when of none. */
    public long fenceOid() {
        return fenceOid;
    }

    /** Whether chunk servers refuse changes of an object. */
    public boolean isFenced(long oid) {
        return oid < fenceOid;
    }

    /** One is being taken now, or is no more. */
    public void setTaking(boolean taking) {
        isTaking = taking;
    }

    /** Fails with EAGAIN while one is being taken: until then no writer gets a new object. */
    public void requireNoneTaken() {
        if (isTaking) {
            throw new FsException(Errno.EAGAIN, "a snapshot is being taken just now");
        }
    }

    /** Whether there is no snapshot. */
    public boolean isEmpty() {
        return points.isEmpty();
    }

    /** The version of the newest snapshot; 0 when there is none. */
    public long newest() {
        return points.isEmpty() ? 0 : points.getLast().version;
    }

    /** Whether a snapshot shows a record written by one mutation and replaced by another. */
    public boolean shows(long fromVersion, long endVersion) {
        return points.stream().anyMatch(point -> point.shows(fromVersion, endVersion));
    }

    /** Whether a snapshot may show an object at all. */
    public boolean mayShow(long oid) {
        return points.stream().anyMatch(point -> oid < point.firstOid);
    }

    /**
     * Whether a snapshot may show an object that files gave up with a mutation. An object with its
     * number was in use from its begin on.
     */
    public boolean holds(long oid, long releaseVersion) {
        return points.stream()
                .anyMatch(point -> oid < point.firstOid && point.version < releaseVersion);
    }
}
