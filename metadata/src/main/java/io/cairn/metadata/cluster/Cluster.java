package io.cairn.metadata.cluster;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.MapDelta;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Policy;
import io.cairn.cluster.Target;
import io.cairn.metadata.state.Counters;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.StoredState;
import io.cairn.metadata.state.Transaction;
import io.cairn.wire.Decoder;
import io.cairn.wire.Limits;
import io.cairn.wire.ProtocolRange;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Push;
import java.util.List;

/**
 * The state that the whole cluster agrees on: its identity, its settings, the cluster map. Belongs
 * to the apply thread.
 */
public final class Cluster {
    private static final long PASSED_OVER_EPOCHS = 1 << 20;
    private static final long EPOCHS_PER_SECOND = 64;

    private final Transaction transaction;
    private final ProtocolRange understood;
    private int level = ProtocolRange.FIRST;
    private long clusterId;
    private int standardReplicas = 1;
    private int inlineLimitBytes = Limits.STANDARD_INLINE_BYTES;
    private final MapRecords records;
    private ClusterMap map;

    /**
     * Reads them from the store.
     *
     * @throws IllegalStateException when this release does not understand the level of the cluster
     */
    public Cluster(Store store, Transaction transaction, ProtocolRange understood) {
        this.transaction = transaction;
        this.understood = understood;
        byte[] storedLevel = store.get(Family.META, Keys.level());
        if (storedLevel != null) {
            level = Keys.open(Family.META, storedLevel).i32();
        }
        requireUnderstood(level);
        byte[] identity = store.get(Family.META, Keys.cluster());
        if (identity != null) {
            Decoder in = Keys.open(Family.META, identity);
            clusterId = in.i64();
            standardReplicas = in.i32();
            inlineLimitBytes = in.i32();
        }
        records = new MapRecords(transaction);
        map = MapRecords.load(store);
    }

    /** The cluster map in a state. */
    public static ClusterMap mapOf(StoredState state) {
        return MapRecords.load(state);
    }

    /** Founds the cluster; false when it is founded already. */
    public boolean found(LeaderMutation.Found m) {
        if (clusterId != 0) {
            return false;
        }
        if (m.clusterId() == 0
                || m.standardReplicas() < 1
                || m.standardReplicas() > Policy.MAX_REPLICAS
                || m.inlineLimitBytes() < 0
                || m.inlineLimitBytes() > Limits.MAX_INLINE_BYTES) {
            throw new FsException(
                    Errno.EINVAL,
                    "a cluster needs an id, 1.."
                            + Policy.MAX_REPLICAS
                            + " replicas and an inline limit of 0.."
                            + Limits.MAX_INLINE_BYTES
                            + " bytes, not "
                            + m);
        }
        clusterId = m.clusterId();
        standardReplicas = m.standardReplicas();
        inlineLimitBytes = m.inlineLimitBytes();
        write();
        return true;
    }

    /** The stored value of a cluster with another identity. */
    public static byte[] withId(byte[] value, long id) {
        Decoder in = Keys.open(Family.META, value);
        in.i64();
        return Keys.value(17).i64(id).i32(in.i32()).i32(in.i32()).toBytes();
    }

    /** Fails with EINVAL when this number of copies cannot be the standard. */
    public void requireReplicas(int replicas) {
        if (clusterId == 0 || replicas < 1 || replicas > Policy.MAX_REPLICAS) {
            throw new FsException(
                    Errno.EINVAL,
                    "a founded cluster keeps 1.." + Policy.MAX_REPLICAS + " replicas as standard");
        }
    }

    /** Takes another number of copies as the standard, one that is possible. */
    public void setStandardReplicas(int replicas) {
        standardReplicas = replicas;
        write();
    }

    /**
     * Raises the level; EINVAL when it is not above the present one.
     *
     * @throws IllegalStateException when this release does not understand it
     */
    public void raise(int newLevel) {
        if (newLevel <= level) {
            throw new FsException(
                    Errno.EINVAL, "the cluster is at level " + level + ", which only rises");
        }
        requireUnderstood(newLevel);
        level = newLevel;
        transaction.records().put(Family.META, Keys.level(), Keys.value(5).i32(level).toBytes());
    }

    private void requireUnderstood(int wanted) {
        if (wanted < understood.oldest() || wanted > understood.newest()) {
            throw new IllegalStateException(
                    "the cluster is at level %d, this release understands %s: install %s"
                            .formatted(
                                    wanted,
                                    understood,
                                    wanted > understood.newest()
                                            ? "a newer one"
                                            : "the one before it and raise the level first"));
        }
    }

    private void write() {
        transaction
                .records()
                .put(
                        Family.META,
                        Keys.cluster(),
                        Keys.value(17)
                                .i64(clusterId)
                                .i32(standardReplicas)
                                .i32(inlineLimitBytes)
                                .toBytes());
    }

    /**
     * Takes a part of what the next cluster map has other than this one; with the last part it is
     * in force, and everybody is told. ESTALE when it is not the next one, or not the next part, or
     * takes a pool away that something refers to.
     */
    public void change(MapDelta.Part part) {
        long from = part.delta().from();
        if (from != map.epoch() || part.delta().to() != from + 1) {
            throw new FsException(
                    Errno.ESTALE, "the cluster map has epoch " + map.epoch() + ", not " + from);
        }
        MapDelta delta = records.stage(part);
        if (delta != null) {
            delta.gone().pools().forEach(this::requireUnused);
            take(delta);
        }
    }

    private void requireUnused(int pool) {
        if (transaction.counters().usedPools().contains(pool)) {
            throw new FsException(Errno.ESTALE, "something refers to pool " + pool + " again");
        }
    }

    /** A map that is younger than any that was given unknown to this state. */
    public void recover(long timeNs) {
        long epoch =
                Math.max(
                        map.epoch() + PASSED_OVER_EPOCHS,
                        Counters.passedUntil(timeNs, EPOCHS_PER_SECOND));
        List<ChunkServer> servers = map.servers().stream().map(ChunkServer::forgetful).toList();
        // Directories may have forgotten a start that this state remembers.
        List<Target> targets = map.targets().stream().map(t -> t.at(t.serverId(), 0)).toList();
        List<PlacementGroup> groups =
                map.groups().stream()
                        .map(group -> group.next(epoch, false, adopted(group)))
                        // This state may have forgotten that they are members again.
                        .map(group -> group.withLeft(List.of()))
                        .toList();
        take(
                new MapDelta(
                        map.epoch(),
                        epoch,
                        servers,
                        targets,
                        List.of(),
                        groups,
                        MapDelta.Gone.NOTHING));
    }

    /** Members that were behind may have gone before those that served, unknown to this state. */
    private static List<PlacementGroup.Member> adopted(PlacementGroup group) {
        if (group.head() == null) {
            return group.members();
        }
        return group.members().stream()
                .map(
                        member ->
                                member.state() == MemberState.SERVING
                                        ? member
                                        : new PlacementGroup.Member(
                                                member.targetId(), MemberState.ADOPTED))
                .toList();
    }

    /** Takes a change that leads from this map to a younger one, and tells everybody. */
    void take(MapDelta delta) {
        records.write(map, delta);
        map = map.with(delta);
        transaction.notify(0, new Push.MapChanged(map.epoch(), delta.isSmall() ? delta : null));
    }

    /** 0 until the cluster is founded. */
    public long clusterId() {
        return clusterId;
    }

    /** Mutations are of this version at most: all masters understand it. */
    public int level() {
        return level;
    }

    public int standardReplicas() {
        return standardReplicas;
    }

    public int inlineLimitBytes() {
        return inlineLimitBytes;
    }

    public ClusterMap map() {
        return map;
    }
}
