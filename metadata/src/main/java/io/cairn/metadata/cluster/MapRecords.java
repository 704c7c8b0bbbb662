package io.cairn.metadata.cluster;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.MapDelta;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Table;
import io.cairn.cluster.Target;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.StoredState;
import io.cairn.metadata.state.Transaction;
import io.cairn.wire.Codecs;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The records of the cluster map in the store. Belongs to the apply thread. */
final class MapRecords {
    private static final int SERVER = 1;
    private static final int TARGET = 2;
    private static final int POOL = 3;
    private static final int GROUP = 4;
    private static final int STAGED = 5;

    private final Transaction transaction;

    MapRecords(Transaction transaction) {
        this.transaction = transaction;
    }

    static ClusterMap load(StoredState store) {
        byte[] head = store.get(Family.META, Keys.map());
        if (head == null) {
            return ClusterMap.EMPTY;
        }
        List<ChunkServer> servers = new ArrayList<>();
        List<Target> targets = new ArrayList<>();
        List<Pool> pools = new ArrayList<>();
        List<PlacementGroup> groups = new ArrayList<>();
        byte[] all = Keys.mapRecords();
        store.scan(
                Family.META,
                all,
                all,
                (key, value) -> {
                    Decoder in = Keys.open(Family.META, value);
                    switch (Keys.mapKind(key)) {
                        case SERVER -> servers.add(Codecs.server(in));
                        case TARGET -> targets.add(Codecs.target(in));
                        case POOL -> pools.add(Codecs.pool(in));
                        case GROUP -> groups.add(Codecs.group(in));
                        case STAGED -> {}
                        default ->
                                throw new IllegalStateException(
                                        "a record of the map of kind " + Keys.mapKind(key));
                    }
                    return true;
                });
        long epoch = Keys.open(Family.META, head).i64();
        return new ClusterMap(epoch, servers, targets, pools, groups);
    }

    /**
     * Takes a part of a change; the change when it is complete, else null.
     *
     * @throws FsException ESTALE when the parts before are not there
     */
    @Nullable MapDelta stage(MapDelta.Part part) {
        if (part.at() == 0 && part.last()) {
            unstage();
            return part.delta();
        }
        List<MapDelta.Part> parts = new ArrayList<>();
        if (part.at() > 0) {
            for (byte[] key : staged()) {
                parts.add(Codecs.mapPart(Keys.open(Family.META, value(key))));
            }
        }
        int end = parts.isEmpty() ? 0 : parts.getLast().end();
        if (part.at() != end || (end > 0 && !isOfOne(parts.getLast(), part))) {
            throw new FsException(
                    Errno.ESTALE,
                    "a change of the cluster map goes on at " + end + ", not at " + part.at());
        }
        if (part.at() == 0) {
            unstage();
        }
        parts.add(part);
        if (part.last()) {
            unstage();
            return MapDelta.join(parts);
        }
        put(STAGED, parts.size(), part, Codecs::mapPart);
        return null;
    }

    private static boolean isOfOne(MapDelta.Part before, MapDelta.Part part) {
        return before.delta().from() == part.delta().from()
                && before.delta().to() == part.delta().to();
    }

    private List<byte[]> staged() {
        return transaction.keys(Family.META, Keys.mapRecords(STAGED));
    }

    private void unstage() {
        staged().forEach(key -> transaction.records().delete(Family.META, key));
    }

    private byte[] value(byte[] key) {
        byte[] value = transaction.get(Family.META, key);
        if (value == null) {
            throw new IllegalStateException("a part of a change of the map is gone");
        }
        return value;
    }

    /** Makes the records those of the map after a change. */
    void write(ClusterMap map, MapDelta delta) {
        transaction.records().put(Family.META, Keys.map(), Keys.value(9).i64(delta.to()).toBytes());
        delta.gone().servers().forEach(id -> delete(SERVER, id));
        delta.gone().targets().forEach(id -> delete(TARGET, id));
        for (int id : delta.gone().pools()) {
            Pool pool = map.pool(id);
            if (pool != null) {
                map.groupsOf(pool).forEach(group -> delete(GROUP, group.id()));
                delete(POOL, id);
            }
        }
        putAll(SERVER, delta.servers(), Codecs::server);
        putAll(TARGET, delta.targets(), Codecs::target);
        putAll(POOL, delta.pools(), Codecs::pool);
        putAll(GROUP, delta.groups(), Codecs::group);
    }

    private void delete(int kind, int id) {
        transaction.records().delete(Family.META, Keys.mapRecord(kind, id));
    }

    private <T extends Table.Numbered> void putAll(
            int kind, List<T> records, BiConsumer<Encoder, T> writer) {
        records.forEach(record -> put(kind, record.id(), record, writer));
    }

    private <T> void put(int kind, int number, T record, BiConsumer<Encoder, T> writer) {
        Encoder out = Keys.value(Encoder.EXPECTED_BYTES);
        writer.accept(out, record);
        transaction.records().put(Family.META, Keys.mapRecord(kind, number), out.toBytes());
    }
}
