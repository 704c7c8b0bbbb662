package io.cairn.master.raft;

import io.cairn.master.store.DirectoryLock;
import io.cairn.master.store.FormatFile;
import io.cairn.master.store.Membership;
import io.cairn.master.store.Position;
import io.cairn.master.store.RocksStore;
import io.cairn.runtime.file.Durable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * An operator's word that the directories of a majority of the masters are lost for good, and that
 * the cluster goes on with what one of the others holds. For a master that does not run; close it.
 * Not thread-safe.
 */
public final class Recovery implements AutoCloseable {
    /** More elections than a cluster has between a backup and its loss. */
    private static final long PASSED_OVER_TERMS = 1L << 20;

    /** The directory of the certificate and of the authority of the cluster. */
    private static final String KEYS = "tls";

    private final DirectoryLock lock;
    private final FormatFile format;
    private final long lastEntry;

    private Recovery(DirectoryLock lock, FormatFile format, long lastEntry) {
        this.lock = lock;
        this.format = format;
        this.lastEntry = lastEntry;
    }

    /**
     * Looks at a master's directory.
     *
     * @throws IOException it is no master's, in use, or holds nothing that one could go on with
     */
    public static Recovery of(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            throw new IOException(directory + " is not there");
        }
        DirectoryLock lock = DirectoryLock.take(directory);
        try {
            FormatFile format = FormatFile.ofExisting(directory);
            long last = lastEntry(directory.resolve("raft"));
            if (format.clusterId() == 0 || !format.votes() || last < 0) {
                throw new IOException(
                        ("%s holds no whole cluster: this master was empty or catching up; take"
                                        + " another one's directory")
                                .formatted(directory));
            }
            return new Recovery(lock, format, last);
        } catch (NoSuchFileException e) {
            lock.close();
            throw new IOException(directory + " is not the data directory of a master", e);
        } catch (IOException | RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    private static long lastEntry(Path raft) throws IOException {
        if (!Files.isDirectory(raft)) {
            return -1;
        }
        List<Path> groups;
        try (Stream<Path> entries = Files.list(raft)) {
            groups = entries.filter(Files::isDirectory).toList();
        }
        long last = -1;
        for (Path group : groups) {
            last = Math.max(last, new LogFiles(group.resolve("current")).lastEntry());
        }
        return last;
    }

    /** Makes the state of a directory that is to be restored. */
    @FunctionalInterface
    public interface Source {
        /**
         * Makes a store of it.
         *
         * @param scratch absent; for what is made on the way, on the same file system
         * @param checkpoint absent; holds the store afterwards, durably
         * @return the cluster that the store holds
         */
        long fill(Path scratch, Path checkpoint) throws IOException;
    }

    /**
     * Makes the directory of a master whose cluster was kept elsewhere. When it is started it goes
     * on alone with that, as one that was told to recover; other masters join it with empty
     * directories. Until everything is there and durable no master starts on the directory.
     *
     * @param directory empty, or absent; the keys of the master may be there already
     * @throws IOException it is neither, or the state cannot be made; the message names the file
     */
    public static Position restore(
            Path directory, String masterId, Source source, RandomGenerator random)
            throws IOException {
        requireEmpty(directory);
        Durable.makeDirectories(directory);
        try (DirectoryLock _ = DirectoryLock.take(directory)) {
            return fill(directory, masterId, source, random);
        } catch (IOException | RuntimeException e) {
            for (Path made : entries(directory)) {
                Durable.deleteTree(made);
            }
            throw e;
        }
    }

    private static Position fill(
            Path directory, String masterId, Source source, RandomGenerator random)
            throws IOException {
        FormatFile format = FormatFile.open(directory, masterId);
        CheckpointStorage checkpoints = new CheckpointStorage(directory);
        Path draft = checkpoints.draft();
        long cluster = source.fill(draft.resolveSibling("filling"), draft);
        Position position = RocksStore.position(draft);
        Files.deleteIfExists(draft.resolve("LOG")); // RocksDB's diary of that look
        Durable.forceTree(draft);
        remember(directory, position.term() + PASSED_OVER_TERMS);
        format.adopt(cluster);
        format.setRecovery(random.nextLong() | 1, true);
        format.setVotes(true);
        checkpoints.add(draft, position);
        return position;
    }

    /** All but the keys of the master, which no backup holds. */
    private static List<Path> entries(Path directory) throws IOException {
        Path keys = directory.resolve(KEYS);
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.filter(each -> !each.equals(keys)).toList();
        }
    }

    private static void requireEmpty(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        List<Path> found = entries(directory);
        if (!found.isEmpty()) {
            throw new IOException(
                    ("%s is not empty: it holds %s. A backup is restored into an empty"
                                    + " directory; a master that was restored is started without"
                                    + " --restore")
                            .formatted(directory, found.getFirst().getFileName()));
        }
    }

    /** Nobody was voted for in a term that is above all that the lost masters may have seen. */
    private static void remember(Path directory, long term) throws IOException {
        Path current =
                directory
                        .resolve("raft")
                        .resolve(RatisLog.GROUP.getUuid().toString())
                        .resolve("current");
        Durable.makeDirectories(current);
        Durable.replace(
                current.resolve("raft-meta"),
                ("term=" + term + "\nvotedFor=\n").getBytes(StandardCharsets.US_ASCII));
    }

    /** Whose directory it is. */
    public String masterId() {
        return format.masterId();
    }

    /** The cluster, in hexadecimal digits. */
    public String cluster() {
        return Membership.text(format.clusterId());
    }

    /** The index of the last entry of its log: of several directories the highest has the most. */
    public long lastEntry() {
        return lastEntry;
    }

    /** Writes durably that this master goes on with what it holds when it is started next. */
    public void begin(RandomGenerator random) throws IOException {
        format.setRecovery(random.nextLong() | 1, true);
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }
}
