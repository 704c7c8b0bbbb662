package io.cairn.fuse.loop;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.DirectoryPage;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.runtime.Stopwatch;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An open directory. Pages of the listing are fetched ahead with their attributes and handed out in
 * the small portions that the kernel asks for. Offsets are the cookies of the filesystem, 1 and 2
 * after {@code .} and {@code ..}, so that seeking works whatever happens to the directory
 * meanwhile. Entries that share a cookie are handed out together or not at all. Thread-safe.
 */
public final class DirectoryCursor {
    /** The offset after {@code .}; and after {@code ..}: below every cookie of a name. */
    private static final long AFTER_DOT = 1;

    private static final long AFTER_DOT_DOT = 2;
    private static final int PAGE_ENTRIES = 1024;

    /** A page is not handed out longer than this after it was fetched. */
    private static final long PAGE_NS = 500_000_000L;

    private static final byte[] DOT = ".".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] DOT_DOT = "..".getBytes(StandardCharsets.US_ASCII);

    /** Where the entries go. */
    public interface Sink {
        /** Whether entries with names of these lengths fit together. */
        boolean fits(List<DirectoryEntry> group);

        /**
         * Adds an entry.
         *
         * @param attributes what {@code lookup} would answer, or null for none
         * @return false when there was no room
         */
        boolean add(
                byte[] name,
                long ino,
                FileType type,
                long nextOffset,
                @Nullable Attributes attributes);
    }

    private final FileSystem fileSystem;
    private final OpenFiles files;
    private final long ino;
    private final boolean warms;
    private List<DirectoryEntry> entries = List.of();
    private int position;
    private boolean end;
    private long continues = -1;
    private Stopwatch fetched = Stopwatch.begin();
    private boolean attributed;

    /**
     * An open directory.
     *
     * @param warms whether pages are fetched with attributes even when nobody wants them, so that
     *     the lookups that follow find them in the cache of the filesystem
     */
    public DirectoryCursor(FileSystem fileSystem, OpenFiles files, long ino, boolean warms) {
        this.fileSystem = fileSystem;
        this.files = files;
        this.ino = ino;
        this.warms = warms;
    }

    /**
     * Hands out entries that come after an offset until the sink is full or the directory ends.
     *
     * @param withAttributes whether the sink wants attributes
     */
    public synchronized void read(Caller caller, long offset, boolean withAttributes, Sink sink) {
        // Rewinding must show the directory as it is now.
        boolean fresh = offset == 0 || offset != continues;
        continues = -1;
        long next = offset;
        if (next < AFTER_DOT) {
            if (!sink.add(DOT, ino, FileType.DIRECTORY, AFTER_DOT, null)) {
                return;
            }
            next = AFTER_DOT;
        }
        if (next < AFTER_DOT_DOT) {
            long parent = fileSystem.parent(ino);
            if (!sink.add(DOT_DOT, parent, FileType.DIRECTORY, AFTER_DOT_DOT, null)) {
                return;
            }
            next = AFTER_DOT_DOT;
        }
        boolean ahead = true;
        while (true) {
            boolean poor = withAttributes && !attributed;
            if (fresh || poor || position == entries.size() && !end || isOld()) {
                fetch(caller, next == AFTER_DOT_DOT ? 0 : next, withAttributes || warms);
                fresh = false;
                ahead = false;
            }
            if (position == entries.size()) {
                if (end) {
                    continues = next;
                    return;
                }
                continue;
            }
            List<DirectoryEntry> group = group();
            if (!sink.fits(group)) {
                if (next == offset) {
                    throw new FsException(Errno.EINVAL, "no room for one entry of a directory");
                }
                continues = next;
                return;
            }
            next = group.getFirst().cookie();
            for (DirectoryEntry entry : group) {
                Attributes attributes = withAttributes ? attributes(caller, entry, ahead) : null;
                sink.add(entry.name().bytes(), entry.ino(), entry.type(), next, attributes);
            }
            position += group.size();
        }
    }

    private boolean isOld() {
        return fetched.passedNs() > PAGE_NS;
    }

    private void fetch(Caller caller, long cookie, boolean withAttributes) {
        DirectoryPage page =
                fileSystem.readDirectory(caller, ino, cookie, PAGE_ENTRIES, withAttributes);
        attributed = withAttributes;
        entries = page.entries();
        position = 0;
        end = page.end() || entries.isEmpty();
        fetched = Stopwatch.begin();
    }

    /** The entries from the position on that share a cookie, nearly always one. */
    private List<DirectoryEntry> group() {
        int to = position + 1;
        long cookie = entries.get(position).cookie();
        while (to < entries.size() && entries.get(to).cookie() == cookie) {
            to++;
        }
        return entries.subList(position, to);
    }

    /**
     * The time for which the kernel may believe the entry. While it asks it keeps changes of this
     * mount away from the directory, so that a page fetched for this very request is true. An older
     * page may show a name that this mount has removed since: then the name is looked up once more,
     * in the cache of the filesystem, which the page has just warmed.
     */
    private @Nullable Attributes attributes(Caller caller, DirectoryEntry entry, boolean ahead) {
        Attributes found = entry.attributes();
        try {
            if (ahead || found == null) {
                found = fileSystem.lookup(caller, ino, entry.name());
            }
            return found.ino() == entry.ino() ? files.current(caller, found) : null;
        } catch (FsException e) {
            return null;
        }
    }
}
