package io.cairn.node;

import io.cairn.chunk.FormerTargets;
import io.cairn.chunk.store.StorageTarget;
import io.cairn.chunk.store.format.TargetDirectory;
import io.cairn.runtime.Disk;
import io.cairn.runtime.FileDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The storage directories of a chunk server.
 *
 * @param paths one for each disk
 * @param format whether empty ones become targets even if a target of this server is missing
 */
public record ChunkDirectories(List<Path> paths, boolean format) {
    public ChunkDirectories {
        paths = List.copyOf(paths);
    }

    /** One directory. */
    static ChunkDirectories of(Path path) {
        return new ChunkDirectories(List.of(path), false);
    }

    /** Those that opening makes targets of. */
    List<Path> empty() throws IOException {
        Disk disk = new FileDisk();
        List<Path> empty = new ArrayList<>();
        for (Path path : paths) {
            if (Files.exists(path) && !Files.isDirectory(path)) {
                throw new CommandException(
                        ExitCode.CANNOT_CREATE, path + " is not a directory; give one as --data");
            }
            if (!TargetDirectory.isFormatted(disk, path)) {
                empty.add(path);
            }
        }
        return empty;
    }

    /**
     * Refuses empty directories of a server that misses a target.
     *
     * @param found the targets that are there
     */
    void requireMounted(
            List<Path> empty, List<StorageTarget> found, FormerTargets former, String server) {
        if (empty.isEmpty() || format) {
            return;
        }
        Set<Long> missing;
        try {
            missing = new HashSet<>(former.identities());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException(ExitCode.TEMPORARY, "interrupted while it asked a master");
        }
        found.forEach(target -> missing.remove(target.identity()));
        if (!missing.isEmpty()) {
            throw new CommandException(
                    ExitCode.CANNOT_CREATE,
                    "%s is empty, and chunk server %s misses %s: is the disk mounted? Mount it, or"
                                    .formatted(empty.get(0), server, describe(missing))
                            + " give --format to begin a new target there");
        }
    }

    private static String describe(Set<Long> missing) {
        return missing.size() == 1
                ? "target " + Long.toHexString(missing.iterator().next())
                : missing.size() + " of its targets";
    }
}
