package io.cairn.node;

import io.cairn.base.Wording;
import io.cairn.chunk.FormerTargets;
import io.cairn.chunk.store.StorageTarget;
import io.cairn.chunk.store.format.TargetDirectory;
import io.cairn.chunk.store.format.TargetException;
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

    /**
     * Refuses directories that can be none of a chunk server, as far as can be seen before they are
     * opened: before a token is used and before anybody is asked.
     *
     * @throws CommandException with the exit code for it
     */
    public void check() {
        try {
            List<Path> _ = empty();
        } catch (IOException e) {
            throw refusal(e);
        }
    }

    /** What a command says of a directory that cannot be used. */
    static CommandException refusal(IOException error) {
        return error instanceof TargetException refused
                ? new CommandException(
                        exitCode(refused.reason()), String.valueOf(error.getMessage()), error)
                : new CommandException(ExitCode.CANNOT_CREATE, Wording.of(error), error);
    }

    private static int exitCode(TargetException.Reason reason) {
        return switch (reason) {
            case TOO_OLD, TOO_NEW, CORRUPT -> ExitCode.DATA;
            case FOREIGN, NOT_EMPTY, UNUSABLE -> ExitCode.CANNOT_CREATE;
            case IN_USE -> ExitCode.TEMPORARY;
        };
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
