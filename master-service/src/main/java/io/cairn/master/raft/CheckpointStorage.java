package io.cairn.master.raft;

import io.cairn.master.store.Position;
import io.cairn.runtime.file.Durable;
import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.SnapshotInfo;
import org.apache.ratis.statemachine.SnapshotRetentionPolicy;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.impl.FileListSnapshotInfo;
import org.jspecify.annotations.Nullable;

/**
 * The finished checkpoints of a master, directories {@code ckpt.TERM_INDEX}. The newest two are
 * kept, and the log is purged only below the older one: so a follower may be away for a whole
 * interval before it needs a checkpoint, and a damaged newest checkpoint is not the end.
 *
 * <p>New ones are made, and those that a leader sends are received, in {@code checkpoints.new},
 * which is emptied at start. When Ratis has received one it replaces the whole directory {@code
 * checkpoints}. Thread-safe.
 */
final class CheckpointStorage implements StateMachineStorage {
    private static final int KEPT = 2;
    private static final Pattern NAME = Pattern.compile("ckpt\\.(\\d+)_(\\d+)");

    /** Beside received files Ratis leaves their digests. */
    private static final String DIGEST_SUFFIX = ".md5";

    private final Path directory;
    private final Path scratch;
    private final Object making = new Object();

    /** Newest first. */
    private volatile List<Checkpoint> checkpoints = List.of();

    /** A finished checkpoint. */
    private record Checkpoint(Position position, Path path, SnapshotInfo files) {}

    CheckpointStorage(Path master) throws IOException {
        directory = master.resolve("checkpoints");
        scratch = master.resolve("checkpoints.new");
        Durable.deleteTree(scratch);
        Files.createDirectories(scratch);
        Files.createDirectories(directory);
        rescan();
    }

    /** Where the next checkpoint is made; empty. One thread at a time makes one. */
    Path draft() throws IOException {
        Path draft = scratch.resolve("draft");
        Durable.deleteTree(draft);
        return draft;
    }

    /** Puts what is in the draft, already durable, among the checkpoints, and removes old ones. */
    void add(Path draft, Position position) throws IOException {
        synchronized (making) {
            Path target = directory.resolve("ckpt." + position.term() + "_" + position.index());
            if (Files.exists(target)) {
                Durable.deleteTree(draft); // nothing was applied since
                return;
            }
            Files.move(draft, target, StandardCopyOption.ATOMIC_MOVE);
            Durable.force(directory);
            rescan();
            for (Checkpoint old : checkpoints.stream().skip(KEPT).toList()) {
                Durable.deleteTree(old.path());
            }
            rescan();
        }
    }

    /** Looks which checkpoints there are. */
    void rescan() throws IOException {
        List<Checkpoint> found = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                Matcher name = NAME.matcher(entry.getFileName().toString());
                if (name.matches()) {
                    Position position =
                            new Position(
                                    Long.parseLong(name.group(1)), Long.parseLong(name.group(2)));
                    found.add(new Checkpoint(position, entry, files(position, entry)));
                }
            }
        }
        found.sort(
                Comparator.comparingLong((Checkpoint found1) -> found1.position().index())
                        .reversed());
        checkpoints = List.copyOf(found);
    }

    private static SnapshotInfo files(Position position, Path checkpoint) throws IOException {
        List<FileInfo> files = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(checkpoint)) {
            for (Path entry : entries) {
                if (!entry.getFileName().toString().endsWith(DIGEST_SUFFIX)) {
                    files.add(new FileInfo(entry.toAbsolutePath(), null));
                }
            }
        }
        return new FileListSnapshotInfo(files, position.term(), position.index());
    }

    /** The position of the newest checkpoint, or null when there is none. */
    @Nullable Position newest() {
        List<Checkpoint> now = checkpoints;
        return now.isEmpty() ? null : now.getFirst().position();
    }

    /** The directory of the newest checkpoint; there must be one. */
    Path newestPath() {
        return checkpoints.getFirst().path();
    }

    /** The files of the newest checkpoint, without digests; there must be one. */
    List<Path> newestFiles() {
        return checkpoints.getFirst().files().getFiles().stream().map(FileInfo::getPath).toList();
    }

    /** Up to which index the log may be purged, or -1. */
    long purgeIndex() {
        List<Checkpoint> now = checkpoints;
        return now.size() < KEPT ? RaftLog.INVALID_LOG_INDEX : now.get(KEPT - 1).position().index();
    }

    /** Makes what was received so far durable. */
    void forceReceived() throws IOException {
        Durable.forceTree(scratch);
    }

    @Override
    public void init(RaftStorage storage) {
        // The directory is not Ratis' to choose.
    }

    @Override
    public @Nullable SnapshotInfo getLatestSnapshot() {
        List<Checkpoint> now = checkpoints;
        return now.isEmpty() ? null : now.getFirst().files();
    }

    @Override
    public void format() {
        // Nothing to prepare.
    }

    @Override
    public void cleanupOldSnapshots(SnapshotRetentionPolicy policy) {
        // Done when a checkpoint is added.
    }

    @Override
    public File getSnapshotDir() {
        return directory.toAbsolutePath().toFile();
    }

    @Override
    public File getTmpDir() {
        return scratch.toAbsolutePath().toFile();
    }
}
