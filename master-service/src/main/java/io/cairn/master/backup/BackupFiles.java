package io.cairn.master.backup;

import io.cairn.master.store.Membership;
import io.cairn.metadata.state.StoredState;
import io.cairn.runtime.file.Durable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.stream.Stream;

/**
 * A directory of backups: {@code cairn-CLUSTER-TIME.backup}, so that names sort by time. Used by
 * one thread at a time.
 */
public final class BackupFiles {
    private static final String SUFFIX = ".backup";
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

    private final Path directory;

    public BackupFiles(Path directory) {
        this.directory = directory;
    }

    /**
     * Writes a backup, reads it again, gives it its name and deletes the oldest of its cluster.
     *
     * @param keep so many are left, at least one
     * @throws IOException the directory is not there, which may be a disk that is not mounted, or
     *     cannot be written to
     */
    public Path add(StoredState state, BackupHead head, int keep) throws IOException {
        if (!Files.isDirectory(directory)) {
            throw new IOException(directory + " is no directory: make it, or mount its disk");
        }
        String prefix = "cairn-" + Membership.text(head.clusterId()) + "-";
        String time = TIME.format(Instant.ofEpochMilli(head.takenMs()));
        Path file = directory.resolve(prefix + time + SUFFIX);
        Path partial = directory.resolve("." + prefix + "partial");
        try {
            var _ =
                    Durable.create(
                            partial,
                            out -> {
                                BackupWriter.write(state, head, out);
                                return head;
                            });
            Restore.verify(partial);
            Durable.rename(partial, file);
        } finally {
            Files.deleteIfExists(partial);
        }
        List<Path> all;
        try (Stream<Path> entries = Files.list(directory)) {
            all = entries.filter(each -> isOne(each, prefix)).sorted().toList();
        }
        for (Path old : all.subList(0, Math.max(0, all.size() - Math.max(1, keep)))) {
            if (!old.equals(file)) {
                Files.deleteIfExists(old);
            }
        }
        Durable.force(directory);
        return file;
    }

    private static boolean isOne(Path file, String prefix) {
        String name = file.getFileName().toString();
        return name.startsWith(prefix) && name.endsWith(SUFFIX);
    }
}
