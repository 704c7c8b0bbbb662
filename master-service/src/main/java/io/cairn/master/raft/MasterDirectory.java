package io.cairn.master.raft;

import io.cairn.master.store.DirectoryLock;
import io.cairn.master.store.FormatFile;
import io.cairn.master.store.Position;
import io.cairn.master.store.StoreSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A master's directory, locked and checked, with the state in it; see the package for a map. */
final class MasterDirectory implements AutoCloseable {
    private final DirectoryLock lock;
    private final Path raft;
    private final boolean used;
    private final ReplicatedState state;
    private final LogFiles log;

    /**
     * Opens a directory, which is made when it is absent.
     *
     * @param group what Ratis calls the group's directory
     * @throws IOException in use, foreign or damaged; the message names the file
     */
    MasterDirectory(Path directory, String masterId, String group, StoreSettings settings)
            throws IOException {
        Files.createDirectories(directory);
        lock = DirectoryLock.take(directory);
        ReplicatedState opened = null;
        try {
            FormatFile format = FormatFile.open(directory, masterId);
            raft = directory.resolve("raft");
            used = Files.exists(raft);
            Files.createDirectories(raft);
            opened = new ReplicatedState(directory, format, settings);
            log = new LogFiles(raft.resolve(group).resolve("current"));
            Position newest = opened.shelf().newest();
            log.prepare(opened.namespace().appliedIndex(), newest == null ? -1 : newest.index());
            state = opened;
        } catch (IOException | RuntimeException e) {
            close(opened, lock);
            throw e;
        }
    }

    /** Where Ratis keeps its files. */
    Path raft() {
        return raft;
    }

    /** Whether a master has run here before. */
    boolean used() {
        return used;
    }

    ReplicatedState state() {
        return state;
    }

    LogFiles log() {
        return log;
    }

    @Override
    public void close() throws IOException {
        close(state, lock);
    }

    private static void close(@Nullable ReplicatedState state, DirectoryLock lock)
            throws IOException {
        try (lock) {
            if (state != null) {
                state.close();
            }
        }
    }
}
