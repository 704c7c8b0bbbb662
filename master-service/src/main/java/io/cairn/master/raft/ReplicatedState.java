package io.cairn.master.raft;

import io.cairn.cluster.Endpoint;
import io.cairn.master.store.FormatFile;
import io.cairn.master.store.Position;
import io.cairn.master.store.RocksStore;
import io.cairn.master.store.StoreSettings;
import io.cairn.master.store.WriteBehindStore;
import io.cairn.metadata.Namespace;
import io.cairn.runtime.file.Durable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The product of the log: the namespace over its store, and the announced endpoints; with the
 * checkpoints of it.
 *
 * <p>One thread applies and installs. One thread at a time makes checkpoints. Anybody may read: ask
 * {@link #namespace} for each read, because an installed checkpoint brings a new one.
 */
final class ReplicatedState implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicatedState.class);

    private volatile BooleanSupplier room = () -> true;
    private final Path database;
    private final Path next;
    private final Path previous;
    private final StoreSettings settings;
    private final FormatFile format;
    private final CheckpointStorage checkpoints;
    private final LeaderEndpoints announcements = new LeaderEndpoints();
    private volatile Opened opened;

    /** The namespace and the stores beneath it. */
    private record Opened(RocksStore rocks, WriteBehindStore store, Namespace namespace) {}

    /** A checkpoint that finds no room on the disk would end the store. */
    void checkpointOnlyWhen(BooleanSupplier condition) {
        room = condition;
    }

    boolean hasRoom() {
        return room.getAsBoolean();
    }

    /**
     * Opens the state of a master, from its newest checkpoint when the database is absent or older.
     *
     * @throws IOException damaged or foreign; the message names the file
     */
    ReplicatedState(Path master, FormatFile format, StoreSettings settings) throws IOException {
        this.database = master.resolve("db");
        this.next = master.resolve("db.new");
        this.previous = master.resolve("db.old");
        this.settings = settings;
        this.format = format;
        checkpoints = new CheckpointStorage(master);
        Position newest = checkpoints.newest();
        if (newest != null) {
            announcements.load(checkpoints.newestPath());
            if (!Files.exists(database)) {
                LOG.info("{} is absent: restoring it from {}", database, checkpoints.newestPath());
                restore();
            }
        }
        Opened found = open();
        if (newest != null && newest.index() > found.store().appliedIndex()) {
            LOG.info("{} is older than {}: restoring it", database, checkpoints.newestPath());
            found.store().close();
            restore();
            found = open();
        }
        Durable.deleteTree(previous);
        opened = found;
    }

    private Opened open() throws IOException {
        RocksStore rocks = RocksStore.open(database, settings);
        WriteBehindStore store = new WriteBehindStore(rocks);
        try {
            Namespace namespace = new Namespace(store);
            if (namespace.clusterId() != 0) {
                format.adopt(namespace.clusterId());
            }
            return new Opened(rocks, store, namespace);
        } catch (IOException | RuntimeException e) {
            store.close();
            throw e;
        }
    }

    /** Puts the newest checkpoint in the place of the database, which must not be open. */
    private void restore() throws IOException {
        Durable.deleteTree(next);
        Files.createDirectories(next);
        for (Path file : checkpoints.newestFiles()) {
            String name = file.getFileName().toString();
            if (name.endsWith(".sst")) {
                Files.createLink(next.resolve(name), file); // never changed, only removed
            } else if (!name.equals(LeaderEndpoints.FILE)) {
                Files.copy(file, next.resolve(name));
            }
        }
        Durable.forceTree(next);
        Durable.deleteTree(previous);
        if (Files.exists(database)) {
            Files.move(database, previous, StandardCopyOption.ATOMIC_MOVE);
        }
        Files.move(next, database, StandardCopyOption.ATOMIC_MOVE);
        Durable.forceEntry(database);
    }

    /** The current namespace. */
    Namespace namespace() {
        return opened.namespace();
    }

    /** The contents of RocksDB now; ask again for each use, as for the namespace. */
    RocksStore rocks() {
        return opened.rocks();
    }

    CheckpointStorage checkpoints() {
        return checkpoints;
    }

    /** Where clients reach a master, or null when it is unknown. */
    @Nullable Endpoint endpointOf(String master) {
        return announcements.of(master);
    }

    /** Applies an entry after all before it. */
    Namespace.Applied apply(long term, long index, byte[] entry) throws IOException {
        Namespace namespace = namespace();
        Namespace.Applied applied = namespace.apply(term, index, entry);
        if (format.clusterId() == 0 && namespace.clusterId() != 0) {
            format.adopt(namespace.clusterId());
        }
        return applied;
    }

    /** Takes over an announcement; also one that a checkpoint already holds. */
    void announce(byte[] entry) {
        announcements.apply(entry);
    }

    /** Makes a checkpoint of now or a little later and puts it on the checkpoints. */
    void checkpoint() throws IOException {
        Path draft = checkpoints.draft();
        Opened now = opened;
        now.store().flush();
        now.rocks().checkpoint(draft);
        Position position = RocksStore.position(draft);
        Files.deleteIfExists(draft.resolve("LOG")); // RocksDB's diary of the look at the position
        announcements.save(draft);
        Durable.forceTree(draft);
        checkpoints.add(draft, position);
    }

    /** Replaces the state by the newest checkpoint, which Ratis has received. */
    Position install() throws IOException {
        checkpoints.rescan();
        Position newest = checkpoints.newest();
        if (newest == null) {
            throw new IOException(
                    "the received checkpoint is missing in " + checkpoints.getSnapshotDir());
        }
        announcements.load(checkpoints.newestPath());
        if (newest.index() > opened.store().appliedIndex()) {
            opened.store().close();
            restore();
            opened = open();
            Durable.deleteTree(previous);
        }
        return newest;
    }

    @Override
    public void close() {
        opened.store().close();
    }
}
