package io.cairn.chunk.store.blob;

import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.format.LedgerEntry;
import io.cairn.chunk.store.format.LedgerEntry.Mark;
import io.cairn.chunk.store.format.ObjectFilter;
import io.cairn.chunk.store.format.TargetException;
import io.cairn.chunk.store.format.TargetException.Reason;
import io.cairn.chunk.store.format.TargetPaths;
import io.cairn.runtime.Disk;
import io.cairn.runtime.Disk.DiskFile;
import io.cairn.runtime.DiskFullException;
import io.cairn.wire.Limits;
import io.cairn.wire.chunk.ChunkRange;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which blobs there must be on a target, and of which write at least. It tells a chunk that nobody
 * ever had, which reads as zeros, from one whose file is gone, and a file in order from an earlier
 * one that was put back: neither can be seen from the files themselves.
 *
 * <p>An entry is written after what it tells of and never synced by a write, so it is at most as
 * young as its blob. The end of the process takes nothing of it away. After a loss of power only
 * that counts which is known to be synced; whoever opens the target in another start of the machine
 * strikes out the rest. One file for each group: {@code ledger/GROUP}. Thread-safe.
 */
public final class Ledger implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Ledger.class);

    private final Disk disk;
    private final TargetPaths paths;
    private final Map<Integer, LedgerFile> files = new ConcurrentHashMap<>();
    private final ObjectFilter objects = new ObjectFilter();

    private Ledger(Disk disk, TargetPaths paths) {
        this.disk = disk;
        this.paths = paths;
    }

    /**
     * Opens all files of a target.
     *
     * @param expected how many there were at least
     * @throws TargetException CORRUPT when one that was there is gone or cut
     */
    public static Ledger open(Disk disk, TargetPaths paths, int expected) throws IOException {
        Set<Integer> groups = new TreeSet<>();
        for (String name : disk.list(paths.ledger())) {
            if (name.endsWith(".new")) {
                disk.delete(paths.ledger().resolve(name));
            } else if (name.length() <= 9 && name.chars().allMatch(Character::isDigit)) {
                groups.add(Integer.valueOf(name));
            }
        }
        for (int group : GroupListing.groups(disk, paths)) {
            if (!groups.contains(group)) {
                throw lost(paths.ledger(group), "is missing");
            }
        }
        if (groups.size() < expected || !disk.exists(paths.ledger())) {
            throw lost(paths.ledger(), "lacks files that were there");
        }
        // Of a process that was killed their names may not be durable yet.
        disk.forceDirectory(paths.ledger());
        Ledger ledger = new Ledger(disk, paths);
        for (int group : groups) {
            Path path = paths.ledger(group);
            long bytes;
            try (DiskFile file = disk.open(path)) {
                bytes = file.size();
            }
            if (!LedgerFile.isWhole(bytes)) {
                ledger.close();
                throw lost(path, "was cut");
            }
            ledger.files.put(group, LedgerFile.open(disk, path));
        }
        return ledger;
    }

    private static TargetException lost(Path path, String what) {
        return new TargetException(
                Reason.CORRUPT,
                path
                        + " "
                        + what
                        + ", so nobody knows which blobs must be here; put it back, or move the"
                        + " directory away to begin an empty target");
    }

    /**
     * Makes durable what a process noted that was killed: an entry that it removed must not come
     * back when the blob was made again and power is lost then.
     */
    public void keepWhatIsThere() throws IOException {
        try {
            force();
        } catch (DiskFullException e) {
            LOG.debug("{}: no room to sync the ledger", paths.ledger());
        }
    }

    /** Number of files. */
    public int size() {
        return files.size();
    }

    /** Bytes that packed blobs take less than plain ones would, as far as entries tell. */
    public long savedBytes() {
        long blocks = files.values().stream().mapToLong(LedgerFile::savedBlocks).sum();
        return Limits.BLOCK_BYTES * blocks;
    }

    /** The groups that have or had blobs here, in order. */
    public List<Integer> groups() {
        return files.keySet().stream().sorted().toList();
    }

    /** The entry of a blob that must be there; null when there is none. */
    public @Nullable LedgerEntry find(BlobKey key) throws IOException {
        LedgerFile file = files.get(key.group());
        return file == null ? null : file.find(key);
    }

    /**
     * Whether a group may have a blob of an object or an entry of one: a file that was there at the
     * start ({@link #missing}), or an entry that was made since.
     */
    public boolean mayHave(int group, long oid) {
        return objects.mayHave(group, oid);
    }

    /** Makes room for an entry, so that later changes of it need none. */
    long begin(LedgerEntry entry) throws IOException {
        objects.add(entry.key().group(), entry.key().oid());
        return file(entry.key().group()).put(entry, 0);
    }

    /**
     * Notes a new state of a blob that has an entry. On a disk that has no room for overwriting the
     * older one stays, which is true as well.
     *
     * @param hint as {@link LedgerFile#put} wants it
     */
    long note(LedgerEntry entry, long hint) throws IOException {
        objects.add(entry.key().group(), entry.key().oid());
        try {
            return file(entry.key().group()).put(entry, hint);
        } catch (DiskFullException e) {
            LOG.debug("{}: no room to note its last write", entry.key());
            return 0;
        }
    }

    /** A blob is about to be deleted. */
    void remove(BlobKey key) throws IOException {
        LedgerFile file = files.get(key.group());
        if (file != null) {
            file.remove(key);
        }
    }

    /** Power may have been lost: only what was synced must be there. */
    public void forgetUnsynced() throws IOException {
        for (LedgerFile file : files.values()) {
            file.visit(LedgerEntry::withoutUnsynced);
        }
    }

    /** The blobs of a group that must be there and are not among those given, in order. */
    public List<BlobKey> missing(int group, Set<BlobKey> present) throws IOException {
        present.forEach(key -> objects.add(group, key.oid()));
        LedgerFile file = files.get(group);
        if (file == null) {
            return List.of();
        }
        List<BlobKey> missing = new ArrayList<>();
        file.visit(
                entry -> {
                    objects.add(entry.key().group(), entry.key().oid());
                    if (entry.latest().isKnown()
                            && entry.key().group() == group
                            && !present.contains(entry.key())) {
                        missing.add(entry.key());
                    }
                    return entry;
                });
        missing.sort(null);
        return missing;
    }

    /** The first chunks of a range that must be there, in order. Reads all entries of the group. */
    List<Long> noted(int group, ChunkRange range, int max) throws IOException {
        LedgerFile file = files.get(group);
        if (file == null) {
            return List.of();
        }
        TreeSet<Long> noted = new TreeSet<>();
        file.visit(
                entry -> {
                    BlobKey key = entry.key();
                    if (entry.latest().isKnown()
                            && key.group() == group
                            && key.oid() == range.oid()
                            && key.index() >= range.fromIndex()
                            && key.index() < range.endIndex()) {
                        noted.add(key.index());
                    }
                    if (noted.size() > max) {
                        noted.removeLast();
                    }
                    return entry;
                });
        return List.copyOf(noted);
    }

    /** Makes everything noted so far durable. */
    void force() throws IOException {
        for (LedgerFile file : files.values()) {
            file.force();
        }
    }

    private LedgerFile file(int group) throws IOException {
        LedgerFile file = files.get(group);
        if (file != null) {
            return file;
        }
        synchronized (files) {
            LedgerFile present = files.get(group);
            if (present != null) {
                return present;
            }
            LedgerFile fresh = LedgerFile.create(disk, paths.ledger(group));
            files.put(group, fresh);
            return fresh;
        }
    }

    /** Why a blob in this state is not what was written; null when it may be. */
    static @Nullable String objection(Mark found, Mark expected) {
        if (!expected.isKnown()) {
            return null;
        }
        if (!found.isKnown()) {
            return "it is missing; it was at write %d of epoch %d"
                    .formatted(expected.sequence(), expected.epoch());
        }
        if (found.isOlderThan(expected)) {
            return "it is an earlier one, at write %d of epoch %d; it was at %d of %d"
                    .formatted(
                            found.sequence(), found.epoch(), expected.sequence(), expected.epoch());
        }
        boolean same = !expected.isOlderThan(found);
        return same && expected.lengthBytes() >= 0 && found.lengthBytes() != expected.lengthBytes()
                ? "it is not the one that was written: its length differs"
                : null;
    }

    @Override
    public void close() throws IOException {
        for (LedgerFile file : files.values()) {
            file.close();
        }
    }
}
