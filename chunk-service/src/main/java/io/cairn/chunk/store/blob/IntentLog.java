package io.cairn.chunk.store.blob;

import io.cairn.chunk.store.blob.IntentLogFile.Contents;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.format.ChangedBlocks;
import io.cairn.chunk.store.format.Claim;
import io.cairn.chunk.store.format.IntentEntry;
import io.cairn.chunk.store.format.IntentRecord;
import io.cairn.chunk.store.format.IntentRecord.Kind;
import io.cairn.runtime.DiskFullException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which blobs may differ from what they were when they were last synced. After an unclean stop only
 * these need to be looked at.
 *
 * <p>A blob is named here before its first write; from then on it stays until the log is rewritten
 * at a time when the blob is synced. A write where nothing was at the last sync costs nothing after
 * that.
 *
 * <ul>
 *   <li>A blob that holds synced bytes is named <em>durably</em> before it is changed, with the
 *       synced blocks that are: one fdatasync of the log, shared by all who wait for one. The bytes
 *       that power loss leaves in these blocks are then known to be in doubt, and no others. What
 *       is overwritten again and again stays named from one sync to the next ({@link Claim}).
 *   <li>A blob that was never synced is named without a sync: the record survives the end of the
 *       process in the page cache, which is all that such a blob has to survive. When power loss
 *       takes the record, the blob's own header and table sum still tell whether it is whole.
 * </ul>
 *
 * <p>Without room for a file the one of the last process stays in force: it names all that may
 * differ, as long as nothing is changed. Changes then fail with {@link DiskFullException}, and each
 * tries to begin a file.
 *
 * <p>Thread-safe. A log that could not be written or synced for another reason fails all further
 * changes (I9).
 */
public final class IntentLog implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(IntentLog.class);

    /** Records beyond those of live entries before the log is rewritten. */
    private static final int SLACK_RECORDS = 4096;

    private static final long SYNC_TIMEOUT_S = 60;

    private final IntentLogFile file;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition synced = lock.newCondition();
    private final Map<BlobKey, IntentEntry> entries = new LinkedHashMap<>();
    private int dirtyCount;
    private int records;
    private int compactAt = SLACK_RECORDS;
    private long durable;
    private boolean syncing;
    private @Nullable IOException failure;

    /** The log of a target, with what was found in its file. Nothing is written yet. */
    public IntentLog(IntentLogFile file, Contents contents) {
        this.file = file;
        contents.kinds()
                .forEach(
                        (key, kind) -> {
                            IntentEntry entry = new IntentEntry(kind, 0);
                            entry.recovered = true;
                            contents.changed(key).claims().forEach(entry.changed::add);
                            entries.put(key, entry);
                        });
    }

    /** Writes a new file with what is live: at the start, after recovery, and at the end. */
    public void rewrite() throws IOException {
        lock.lock();
        try {
            check();
            replaceFile();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Names a blob that is about to be changed.
     *
     * @param claim the blocks that will be, when it holds synced bytes: then the record is on
     *     stable media on return; null when it was never synced
     */
    void beforeWrite(BlobKey key, @Nullable Claim claim) throws IOException {
        lock.lock();
        try {
            check();
            IntentEntry entry = entries.get(key);
            Kind needed = claim == null ? Kind.NEW : Kind.INTENT;
            boolean madeAnew = entry != null && entry.deleted && claim == null;
            boolean weaker = entry != null && claim != null && entry.kind == Kind.NEW;
            Claim missing = claim == null || entry == null ? claim : entry.changed.missing(claim);
            if (entry == null || weaker || missing != null || (madeAnew && entry.kind != needed)) {
                entry = append(needed, key, missing == null ? Claim.NONE : missing);
            }
            boolean before = entry.dirty;
            setDirty(entry, true);
            if (claim != null) {
                try {
                    awaitDurable(entry);
                } catch (IOException e) {
                    setDirty(entry, before);
                    throw e;
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * A blob was never synced, and its record did not get to the disk: as if it had. Without room
     * it is known here alone, and suspected again by the next process.
     */
    void suspect(BlobKey key) throws IOException {
        lock.lock();
        try {
            check();
            IntentEntry entry;
            try {
                entry = append(Kind.NEW, key, Claim.NONE);
            } catch (DiskFullException e) {
                entry = entries.computeIfAbsent(key, k -> new IntentEntry(Kind.NEW, 0));
            }
            entry.recovered = true;
        } finally {
            lock.unlock();
        }
    }

    /** A blob was synced with everything up to a write, and its name. */
    void flushed(BlobKey key, long sequence) throws IOException {
        update(
                key,
                entry -> {
                    if (entry.kind == Kind.NEW && failure == null) {
                        appendIfRoom(Kind.INTENT, key, new Claim(sequence, 0, 0));
                    }
                    end(key, entry, false);
                    setDirty(entry, false);
                    entry.recovered = false;
                    entry.deleted = false;
                });
    }

    /** A blob is closed: one that is synced and not in use needs no claims that stand. */
    void closed(BlobKey key) throws IOException {
        update(
                key,
                entry -> {
                    if (!entry.isLive()) {
                        end(key, entry, true);
                    }
                });
    }

    /** Ends claims. It is not waited for: until it is durable more blocks count as changed. */
    private void end(BlobKey key, IntentEntry entry, boolean unused) throws IOException {
        for (Claim claim : entry.changed.ended(unused)) {
            if (failure == null && file.isOpen()) {
                try {
                    write(entry.kind, key, claim);
                    entry.changed.add(claim);
                } catch (DiskFullException e) {
                    LOG.debug("{}: no room to end a claim of {}", file.path(), key);
                }
            }
        }
    }

    /** What is done with the entry of a blob. */
    private interface Update {
        void apply(IntentEntry entry) throws IOException;
    }

    /** Does something with the entry of a blob, if there is one. */
    private void update(BlobKey key, Update update) throws IOException {
        lock.lock();
        try {
            IntentEntry entry = entries.get(key);
            if (entry != null) {
                update.apply(entry);
            }
        } finally {
            lock.unlock();
        }
    }

    /** A write or sync of a blob failed. Durable when the log still works. */
    void fence(BlobKey key) throws IOException {
        lock.lock();
        try {
            check();
            IntentEntry entry = append(Kind.FENCE, key, Claim.NONE);
            setDirty(entry, false);
            awaitDurable(entry);
        } finally {
            lock.unlock();
        }
    }

    /** A blob was deleted, not yet durably: what is known of it stays known until it is. */
    void deleted(BlobKey key) throws IOException {
        update(
                key,
                entry -> {
                    setDirty(entry, false);
                    entry.recovered = false;
                    entry.doubtful = false;
                    entry.deleted = true;
                    if (entry.kind == Kind.FENCE) {
                        appendIfRoom(Kind.CLEAR, key, Claim.NONE);
                        entries.remove(key);
                    }
                });
    }

    /** Forgets blobs whose deletion is durable, unless they were made anew. */
    void deletionsSynced(List<BlobKey> keys) throws IOException {
        lock.lock();
        try {
            for (BlobKey key : keys) {
                IntentEntry entry = entries.get(key);
                if (entry != null && entry.deleted && !entry.dirty) {
                    appendIfRoom(Kind.CLEAR, key, Claim.NONE);
                    entries.remove(key);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** The blob was replaced by a synced one. */
    public void forget(BlobKey key) throws IOException {
        update(
                key,
                entry -> {
                    setDirty(entry, false);
                    appendIfRoom(Kind.CLEAR, key, Claim.NONE);
                    entries.remove(key);
                });
    }

    /** Without room the older record stays in force: the next write, or another file, mends it. */
    private void appendIfRoom(Kind kind, BlobKey key, Claim claim) throws IOException {
        try {
            append(kind, key, claim);
        } catch (DiskFullException e) {
            LOG.debug("{}: no room for a record of {}", file.path(), key);
        }
    }

    /** The log's entry of a blob; null when there is none. */
    @Nullable Kind kind(BlobKey key) {
        return of(key, null, entry -> entry.kind);
    }

    /** Which blocks of a blob that was synced may have been changed since; those it is told now. */
    ChangedBlocks changed(BlobKey key) {
        return of(key, new ChangedBlocks(), entry -> entry.changed.copy());
    }

    /** Whether a blob was changed by this process since its last sync. */
    boolean isDirty(BlobKey key) {
        return of(key, false, entry -> entry.dirty);
    }

    /** Whether a blob was named here at the start and was not synced since. */
    boolean isRecovered(BlobKey key) {
        return of(key, false, entry -> entry.recovered);
    }

    /** Whether recovery could not decide on the blob's contents. */
    boolean isDoubtful(BlobKey key) {
        return of(key, false, entry -> entry.doubtful);
    }

    private <T extends @Nullable Object> T of(
            BlobKey key, T otherwise, Function<IntentEntry, T> what) {
        return locked(
                () -> {
                    IntentEntry entry = entries.get(key);
                    return entry == null ? otherwise : what.apply(entry);
                });
    }

    private <T extends @Nullable Object> T locked(Supplier<T> what) {
        lock.lock();
        try {
            return what.get();
        } finally {
            lock.unlock();
        }
    }

    /** Notes whether a blob is in doubt; it must be named here. */
    void setDoubtful(BlobKey key, boolean doubtful) throws IOException {
        update(key, entry -> entry.doubtful = doubtful);
    }

    /** Blobs that this process changed and did not sync, oldest first, at most {@code max}. */
    public List<BlobKey> dirty(int max) {
        return named(entry -> entry.dirty, max);
    }

    /** Blobs that were named here at the start and not synced since. */
    public List<BlobKey> recovered() {
        return named(entry -> entry.recovered, Integer.MAX_VALUE);
    }

    private List<BlobKey> named(Predicate<IntentEntry> which, int max) {
        return locked(
                () ->
                        entries.entrySet().stream()
                                .filter(named -> which.test(named.getValue()))
                                .limit(max)
                                .map(Map.Entry::getKey)
                                .toList());
    }

    public int dirtyCount() {
        return locked(() -> dirtyCount);
    }

    /** Whether the log can no longer be written. */
    public boolean hasFailed() {
        return locked(() -> failure != null);
    }

    private void check() throws IOException {
        if (failure != null) {
            throw new IOException(file.path() + " failed before", failure);
        }
    }

    private void setDirty(IntentEntry entry, boolean dirty) {
        if (entry.dirty != dirty) {
            entry.dirty = dirty;
            dirtyCount += dirty ? 1 : -1;
        }
    }

    private IntentEntry append(Kind kind, BlobKey key, Claim claim) throws IOException {
        check();
        if (file.isOpen()) {
            compact();
        } else {
            replaceFile();
        }
        long end = write(kind, key, claim);
        IntentEntry entry = entries.computeIfAbsent(key, k -> new IntentEntry(kind, end));
        entry.kind = kind;
        entry.end = end;
        entry.changed.add(claim);
        return entry;
    }

    private long write(Kind kind, BlobKey key, Claim claim) throws IOException {
        try {
            records++;
            return file.append(kind, key, claim, durable);
        } catch (DiskFullException e) {
            throw e;
        } catch (IOException e) {
            failure = e;
            throw e;
        }
    }

    /**
     * Rewrites the log when most of it is about blobs that are synced by now. The entries are
     * counted no more often than records were added.
     */
    private void compact() throws IOException {
        if (records < compactAt || syncing) {
            return;
        }
        int live = 0;
        for (IntentEntry entry : entries.values()) {
            live += entry.isLive() ? 1 : 0;
        }
        compactAt = SLACK_RECORDS + 2 * live;
        if (records >= compactAt) {
            replaceFile();
        }
    }

    /** A disk without room leaves the old file in force. */
    private void replaceFile() throws IOException {
        List<IntentRecord> live = new ArrayList<>();
        entries.forEach(
                (key, entry) -> {
                    if (entry.isLive()) {
                        for (Claim claim : entry.changed.claims()) {
                            live.add(new IntentRecord(entry.kind, 0, 0, key, claim));
                        }
                    }
                });
        try {
            durable = file.rewrite(live);
        } catch (DiskFullException e) {
            if (!file.isOpen()) {
                throw e;
            }
            return;
        } catch (IOException e) {
            failure = e;
            throw e;
        }
        entries.values().removeIf(entry -> !entry.isLive());
        for (IntentEntry entry : entries.values()) {
            entry.end = durable;
        }
        records = live.size();
        compactAt = SLACK_RECORDS + 2 * records;
    }

    /** Group commit: one of those who wait syncs for all whose records were written by then. */
    private void awaitDurable(IntentEntry entry) throws IOException {
        while (entry.end > durable) {
            check();
            if (syncing) {
                awaitSync();
                continue;
            }
            if (!file.isOpen()) {
                replaceFile();
                continue;
            }
            syncing = true;
            long end = file.end();
            lock.unlock();
            IOException failed = null;
            try {
                file.force();
            } catch (IOException e) {
                failed = e;
            } finally {
                lock.lock();
                syncing = false;
                synced.signalAll();
            }
            if (failed instanceof DiskFullException) {
                file.close(); // What is in it is not known: the next record begins a new one.
                throw failed;
            }
            if (failed != null) {
                failure = failed;
                throw failed;
            }
            durable = Math.max(durable, end);
        }
    }

    private void awaitSync() throws IOException {
        try {
            long leftNs = TimeUnit.SECONDS.toNanos(SYNC_TIMEOUT_S);
            while (syncing) {
                if (leftNs <= 0) {
                    throw new IOException(
                            file.path()
                                    + ": no sync within "
                                    + SYNC_TIMEOUT_S
                                    + " s; check the disk");
                }
                leftNs = synced.awaitNanos(leftNs);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException(
                    file.path() + ": interrupted while waiting for a sync");
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
