package io.cairn.master.backup;

import io.cairn.master.store.RocksStore;
import io.cairn.master.store.StoreSettings;
import io.cairn.metadata.cluster.Cluster;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Change;
import io.cairn.metadata.state.Store.Family;
import io.cairn.runtime.file.Durable;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Reads backups in files: to check them, or to make a store of one. */
public final class Restore {
    private static final int BUFFER_BYTES = 1 << 20;
    private static final int BATCH_BYTES = 1 << 20;

    private Restore() {}

    /**
     * Reads a file from its begin to its end.
     *
     * @throws IOException it is no whole backup, or cannot be read; the message names the file
     */
    public static BackupSummary verify(Path file) throws IOException {
        try (InputStream in = open(file)) {
            return new BackupReader(file.toString(), in).readAll((_, _, _) -> {});
        }
    }

    /**
     * Makes a checkpoint of a backup.
     *
     * @param scratch where the store is filled; on the file system of {@code checkpoint}
     * @param checkpoint where the durable store is afterwards; absent
     * @param newCluster the id that the cluster gets; 0 keeps its own
     * @throws IOException as {@link #verify}: what is in {@code scratch} then is worth nothing
     */
    public static BackupSummary restore(Path file, Path scratch, Path checkpoint, long newCluster)
            throws IOException {
        Durable.deleteTree(scratch);
        try (InputStream in = open(file);
                RocksStore store = RocksStore.open(scratch, StoreSettings.standard())) {
            BackupReader reader = new BackupReader(file.toString(), in);
            Filling filling = new Filling(store, newCluster);
            BackupSummary summary = reader.readAll(filling);
            filling.flush();
            BackupHead head = summary.head();
            store.commit(List.of(), head.term(), head.index());
            store.checkpoint(checkpoint);
            return summary;
        } finally {
            Durable.deleteTree(scratch);
        }
    }

    private static InputStream open(Path file) throws IOException {
        try {
            return new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES);
        } catch (NoSuchFileException e) {
            throw new IOException(file + " does not exist", e);
        }
    }

    /** Puts records into a store, many at a time. */
    private static final class Filling implements BackupReader.Visitor {
        private final RocksStore store;
        private final long newCluster;
        private final List<Change> batch = new ArrayList<>();
        private long bytes;

        Filling(RocksStore store, long newCluster) {
            this.store = store;
            this.newCluster = newCluster;
        }

        @Override
        public void record(Family family, byte[] key, byte[] value) {
            boolean isCluster = family == Family.META && Arrays.equals(key, Keys.cluster());
            byte[] kept = isCluster && newCluster != 0 ? Cluster.withId(value, newCluster) : value;
            batch.add(new Change(family, key, kept));
            bytes += key.length + kept.length;
            if (bytes >= BATCH_BYTES) {
                flush();
            }
        }

        void flush() {
            store.load(batch);
            batch.clear();
            bytes = 0;
        }
    }
}
