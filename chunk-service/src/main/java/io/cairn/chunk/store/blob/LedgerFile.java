package io.cairn.chunk.store.blob;

import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.format.LedgerEntry;
import io.cairn.runtime.Disk;
import io.cairn.runtime.Disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * The ledger of one group: a hash table of {@link LedgerEntry} in pages of 4096 bytes, a power of
 * two of them. An entry stands in the page that its key chooses, so that finding one is one read
 * and changing one is one write. When a page is full the table is copied into twice as many pages,
 * beside it, and renamed. Nothing of it is kept in memory. Thread-safe.
 */
final class LedgerFile implements AutoCloseable {
    static final int PAGE = 4096;
    private static final int SLOTS = PAGE / LedgerEntry.BYTES;
    private static final int FIRST_PAGES = 16;

    /** Where an entry stood is forgotten with the file: the upper bits count the files. */
    private static final int POSITION_BITS = 44;

    private final Disk disk;
    private final Path path;
    private final Lock reading;
    private final Lock changing;
    private DiskFile file;
    private long pages;
    private long generation = 1;

    /** The sum over what stands there: known once all of it was visited. */
    private final AtomicLong savedBlocks = new AtomicLong();

    private volatile boolean dirty;

    private LedgerFile(Disk disk, Path path, DiskFile file) throws IOException {
        this.disk = disk;
        this.path = path;
        this.file = file;
        this.pages = file.size() / PAGE;
        ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
        this.reading = lock.readLock();
        this.changing = lock.writeLock();
    }

    /** Opens one, of which a process that was killed may have left changes that are not durable. */
    static LedgerFile open(Disk disk, Path path) throws IOException {
        LedgerFile opened = new LedgerFile(disk, path, disk.open(path));
        opened.dirty = true;
        return opened;
    }

    /** Makes an empty one, durably. */
    static LedgerFile create(Disk disk, Path path) throws IOException {
        DiskFile fresh = begin(disk, path, FIRST_PAGES);
        finish(disk, path, fresh);
        return new LedgerFile(disk, path, fresh);
    }

    private static Path beside(Path path) {
        return path.resolveSibling(path.getFileName() + ".new");
    }

    private static DiskFile begin(Disk disk, Path path, long pages) throws IOException {
        disk.delete(beside(path));
        DiskFile fresh = disk.openOrCreate(beside(path));
        try {
            fresh.truncate(pages * PAGE);
            return fresh;
        } catch (IOException e) {
            fresh.close();
            throw e;
        }
    }

    private static void finish(Disk disk, Path path, DiskFile fresh) throws IOException {
        try {
            fresh.force(true);
            disk.rename(beside(path), path);
            Path parent = path.getParent();
            if (parent != null) {
                disk.forceDirectory(parent);
            }
        } catch (IOException e) {
            fresh.close();
            throw e;
        }
    }

    /** Whether a file of this length can be one: else it was cut. */
    static boolean isWhole(long bytes) {
        return bytes >= (long) FIRST_PAGES * PAGE && Long.bitCount(bytes) == 1;
    }

    /** The entry of a blob; null when there is none. */
    @Nullable LedgerEntry find(BlobKey key) throws IOException {
        reading.lock();
        try {
            ByteBuffer page = page(pageOf(key, pages));
            for (int slot = 0; slot < SLOTS; slot++) {
                LedgerEntry entry = entryOf(key, page, slot);
                if (entry != null) {
                    return entry;
                }
            }
            return null;
        } finally {
            reading.unlock();
        }
    }

    /**
     * Adds or replaces an entry.
     *
     * @param hint what the last call for this blob returned, when the entry was not removed since
     *     and saves as many blocks as that one; else 0
     * @return where it stands, as a hint
     */
    long put(LedgerEntry entry, long hint) throws IOException {
        reading.lock();
        try {
            if (hint >>> POSITION_BITS == generation) {
                write(hint & (1L << POSITION_BITS) - 1, entry);
                return hint;
            }
        } finally {
            reading.unlock();
        }
        changing.lock();
        try {
            Place place = place(entry.key());
            while (place == null) {
                grow();
                place = place(entry.key());
            }
            write(place.position, entry);
            savedBlocks.addAndGet(entry.savedBlocks() - (long) place.savedBlocks);
            return generation << POSITION_BITS | place.position;
        } finally {
            changing.unlock();
        }
    }

    /** Removes the entry of a blob, if there is one. */
    void remove(BlobKey key) throws IOException {
        changing.lock();
        try {
            long number = pageOf(key, pages);
            ByteBuffer page = page(number);
            for (int slot = 0; slot < SLOTS; slot++) {
                LedgerEntry entry = entryOf(key, page, slot);
                if (entry != null) {
                    ByteBuffer nothing = ByteBuffer.allocate(LedgerEntry.BYTES);
                    file.write(nothing, position(number, slot));
                    dirty = true;
                    savedBlocks.addAndGet(-entry.savedBlocks());
                }
            }
        } finally {
            changing.unlock();
        }
    }

    /** Sees entries. */
    interface Visitor {
        /** One entry; the entry to stand there from now on. */
        LedgerEntry visit(LedgerEntry entry) throws IOException;
    }

    /** Goes through all entries, a page at a time; counts anew what they save. */
    void visit(Visitor visitor) throws IOException {
        changing.lock();
        try {
            long saved = 0;
            for (long number = 0; number < pages; number++) {
                ByteBuffer page = page(number);
                boolean changed = false;
                for (int slot = 0; slot < SLOTS; slot++) {
                    int at = slot * LedgerEntry.BYTES;
                    LedgerEntry entry = LedgerEntry.decode(page, at);
                    if (entry != null) {
                        LedgerEntry next = visitor.visit(entry);
                        saved += next.savedBlocks();
                        if (!next.equals(entry)) {
                            next.encode(page.position(at));
                            changed = true;
                        }
                    }
                }
                if (changed) {
                    file.write(page.clear(), number * PAGE);
                    dirty = true;
                }
            }
            savedBlocks.set(saved);
        } finally {
            changing.unlock();
        }
    }

    /** Blocks that its blobs take less than plain ones; known once all entries were visited. */
    long savedBlocks() {
        return savedBlocks.get();
    }

    /** Makes all changes durable. */
    void force() throws IOException {
        reading.lock();
        try {
            if (dirty) {
                dirty = false;
                file.force(false);
            }
        } catch (IOException e) {
            dirty = true;
            throw e;
        } finally {
            reading.unlock();
        }
    }

    private void write(long position, LedgerEntry entry) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(LedgerEntry.BYTES);
        entry.encode(bytes);
        dirty = true;
        file.write(bytes.flip(), position);
    }

    /**
     * A place for an entry.
     *
     * @param savedBlocks of the entry that stands there; 0 without one
     */
    private record Place(long position, int savedBlocks) {}

    /** Where the entry of a blob stands, or may; null when its page is full. */
    private @Nullable Place place(BlobKey key) throws IOException {
        long number = pageOf(key, pages);
        ByteBuffer page = page(number);
        int free = -1;
        for (int slot = 0; slot < SLOTS; slot++) {
            if (LedgerEntry.isFree(page, slot * LedgerEntry.BYTES)) {
                free = free < 0 ? slot : free;
                continue;
            }
            LedgerEntry entry = entryOf(key, page, slot);
            if (entry != null) {
                return new Place(position(number, slot), entry.savedBlocks());
            }
        }
        return free < 0 ? null : new Place(position(number, free), 0);
    }

    private static long position(long page, int slot) {
        return page * PAGE + (long) slot * LedgerEntry.BYTES;
    }

    /** The entries of page {@code p} go to {@code p} and {@code p + pages}. */
    private void grow() throws IOException {
        DiskFile fresh = begin(disk, path, 2 * pages);
        try {
            for (long number = 0; number < pages; number++) {
                ByteBuffer old = page(number);
                ByteBuffer low = ByteBuffer.allocate(PAGE);
                ByteBuffer high = ByteBuffer.allocate(PAGE);
                for (int slot = 0; slot < SLOTS; slot++) {
                    LedgerEntry entry = LedgerEntry.decode(old, slot * LedgerEntry.BYTES);
                    if (entry != null) {
                        entry.encode(pageOf(entry.key(), 2 * pages) == number ? low : high);
                    }
                }
                fill(fresh, low, number);
                fill(fresh, high, number + pages);
            }
        } catch (IOException e) {
            fresh.close();
            throw e;
        }
        finish(disk, path, fresh);
        file.close();
        file = fresh;
        pages *= 2;
        generation++;
    }

    private static void fill(DiskFile fresh, ByteBuffer page, long number) throws IOException {
        if (page.position() > 0) {
            fresh.write(page.clear(), number * PAGE);
        }
    }

    private ByteBuffer page(long number) throws IOException {
        ByteBuffer page = ByteBuffer.allocate(PAGE);
        file.readAll(page, number * PAGE);
        return page.clear();
    }

    private static @Nullable LedgerEntry entryOf(BlobKey key, ByteBuffer page, int slot) {
        int at = slot * LedgerEntry.BYTES;
        if (page.getLong(at + 8) != key.oid() || page.getLong(at + 16) != key.index()) {
            return null;
        }
        LedgerEntry entry = LedgerEntry.decode(page, at);
        return entry != null && entry.key().equals(key) ? entry : null;
    }

    private static long pageOf(BlobKey key, long pages) {
        long mixed = (key.oid() * 31 + key.index()) * 0x9e3779b97f4a7c15L;
        return (mixed ^ mixed >>> 32) & (pages - 1);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
