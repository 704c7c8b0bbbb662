package io.cairn.master.raft;

import io.cairn.master.store.DirectoryLock;
import io.cairn.master.store.FormatFile;
import io.cairn.master.store.Membership;
import java.io.IOException;
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
