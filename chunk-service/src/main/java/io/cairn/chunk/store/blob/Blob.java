package io.cairn.chunk.store.blob;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.store.format.AlignedWrite;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.format.BlobVersion;
import io.cairn.chunk.store.format.BlockRange;
import io.cairn.chunk.store.format.Condition;
import io.cairn.chunk.store.format.LedgerEntry.Mark;
import io.cairn.chunk.store.grant.ContentLock;
import io.cairn.chunk.store.pack.Codec;
import io.cairn.runtime.DiskFullException;
import io.cairn.wire.Limits;
import io.cairn.wire.chunk.ChunkReply.ChunkState;
import io.cairn.wire.chunk.ChunkRequest.WriteMark;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * One blob in use: decides whether and when something may be done with its {@link BlobBody}.
 *
 * <p>Thread-safe. There are two locks. {@code mutation} is held by a thread that changes the blob
 * or syncs it, so that no header is written while one is being synced. {@code content} is held for
 * writing only while data and map change, so that readers see data and checksums that belong
 * together and do not wait for a sync.
 */
public final class Blob {
    private final BlobContext shelf;
    private final BlobLoader loader;
    private final BlobKey key;
    private final BlobRecord record;
    private final ReentrantLock mutation = new ReentrantLock();
    private final Lock reading;
    private final ContentLock changing;

    // Changed under both locks, or under mutation alone where said.
    private volatile boolean loaded;
    private volatile Condition condition = Condition.ABSENT;
    private volatile String reason = "";
    private @Nullable BlobFile file;
    private @Nullable BlobBody body;

    /** Whether the last process may have left it unsynced: it is synced before a change. */
    private boolean uncertain;

    private boolean nameSynced;

    /** Of a doubtful blob: what it holds beside a write that was cut off. */
    private @Nullable BlobVersion whole;

    /** A blob of which nothing is known yet. */
    Blob(BlobContext shelf, BlobLoader loader, BlobKey key) {
        this.shelf = shelf;
        this.loader = loader;
        this.key = key;
        this.record = new BlobRecord(shelf.ledger, key);
        changing = new ContentLock(shelf.grants, key);
        reading = changing.reading();
    }

    /**
     * Opens the file if that was not done.
     *
     * @param thorough whether to verify the data of all blocks then
     */
    void load(boolean thorough) throws IOException {
        if (loaded) {
            return;
        }
        alone(
                () -> {
                    if (!loaded) {
                        take(loader.load(key, thorough));
                    }
                });
    }

    private void take(LoadedBlob found) throws IOException {
        boolean dirty = shelf.log.isDirty(key);
        boolean recovered = shelf.log.isRecovered(key);
        condition = found.condition();
        reason = found.reason();
        file = found.file();
        whole = found.whole();
        body =
                file == null || found.blocks() == null
                        ? null
                        : new BlobBody(file, found.blocks(), !dirty && !recovered, !dirty);
        if (condition == Condition.GOOD && shelf.log.isDoubtful(key)) {
            condition = Condition.DOUBTFUL;
            reason = shelf.troubles.getOrDefault(key, "an unclean stop");
        }
        uncertain = recovered && !dirty;
        nameSynced = !dirty && !recovered;
        if (body != null && !found.stored()) {
            body.storeLater();
        }
        String objection = record.examine(found, condition, !dirty && !recovered);
        if (objection != null) {
            condition = Condition.DAMAGED;
            reason = objection;
        }
        if (condition != Condition.GOOD && condition != Condition.ABSENT) {
            shelf.log.setDoubtful(key, condition == Condition.DOUBTFUL);
            shelf.trouble(key, condition, reason);
        }
        loaded = true;
    }

    /** Reads the body; {@code absent} when there is none. An error when it may not be used. */
    public <T> T read(T absent, BlobBody.Reader<T> reader) throws IOException {
        reading.lock();
        try {
            BlobBody usable = usable();
            return usable == null ? absent : reader.read(usable);
        } finally {
            reading.unlock();
        }
    }

    /** The body, null when absent; an error when it may not be used. */
    private @Nullable BlobBody usable() {
        return switch (condition) {
            case ABSENT -> null;
            case GOOD -> Objects.requireNonNull(body, "closed by a replacement that failed");
            case DOUBTFUL, DAMAGED, FENCED -> throw shelf.unusable(key, condition, reason);
        };
    }

    public Condition condition() {
        return condition;
    }

    /** The last version; nothing for what cannot be used. */
    public ChunkState state() throws IOException {
        reading.lock();
        try {
            return BlobBody.state(key, file, condition == Condition.GOOD ? body : null);
        } finally {
            reading.unlock();
        }
    }

    public BlockRange read(int offsetBytes, int lengthBytes, IntFunction<ByteBuffer> buffers)
            throws IOException {
        BlockRange nothing = BlockRange.nothing(offsetBytes & -Limits.BLOCK_BYTES, 0);
        try {
            return read(nothing, blob -> blob.read(offsetBytes, lengthBytes, buffers));
        } catch (IOException e) {
            shelf.unreadable(key, e);
            throw e;
        }
    }

    /** Looks whether the file is still the one in use and {@code sound}: what is there counts. */
    void lookAgain(BlobBody.Reader<Boolean> sound) throws IOException {
        alone(
                () -> {
                    BlobBody known = condition == Condition.GOOD ? body : null;
                    if (known == null) {
                        return;
                    }
                    boolean isSound = sound.read(known);
                    LoadedBlob found = loader.load(key, false);
                    if (!known.isOf(found)) {
                        closeFile();
                        loaded = false;
                        take(found);
                        shelf.changed(key, condition, reason);
                        return;
                    }
                    found.close();
                    if (!isSound) {
                        shelf.trouble(key, Condition.DAMAGED, "its trailer is damaged");
                    }
                });
    }

    /** Applies a write whose ranges were checked; newly allocated bytes. */
    public int write(int newLog2, long epoch, long sequence, AlignedWrite write)
            throws IOException {
        mutation.lock();
        try {
            BlobBody blob = plain(before(sequence));
            prepare(blob, write.offsetBytes() / Limits.BLOCK_BYTES, write.crcs().length);
            return change(
                    blob == null,
                    () -> {
                        BlobBody target = blob == null ? create(newLog2) : blob;
                        int allocated = new BlobWriter(target).apply(epoch, sequence, write);
                        record.written(target.version());
                        return allocated;
                    });
        } finally {
            mutation.unlock();
        }
    }

    /** Changes the file; what fails half-way fences the blob, unless there was merely no room. */
    private int change(boolean isNew, DiskWork.Attempt<Integer> work) throws IOException {
        changing.lock();
        try {
            return work.run();
        } catch (DiskFullException e) {
            if (isNew) {
                remove();
            }
            throw e;
        } catch (IOException e) {
            throw fence(e);
        } finally {
            changing.unlock();
        }
    }

    /** Makes a range zeros; change of the allocated bytes. */
    public int zero(long epoch, long sequence, int offsetBytes, int lengthBytes)
            throws IOException {
        mutation.lock();
        try {
            long end = Math.min(offsetBytes + (long) lengthBytes, Integer.MAX_VALUE);
            BlobBody before = before(sequence);
            if (before != null && before.isPacked()) {
                if (offsetBytes >= Math.min(end, before.version().lengthBytes())) {
                    put(Replacement.counted(shelf, key, before, epoch, sequence), false);
                    return 0;
                }
                shelf.space.check(before.map().allocatedBytes());
            }
            BlobBody blob = plain(before);
            if (blob == null) {
                return 0;
            }
            ZeroRange range = new ZeroRange(blob, offsetBytes, (int) end);
            prepare(blob, range.pending().first(), range.pending().count());
            return change(
                    false,
                    () -> {
                        int change = new BlobWriter(blob).apply(epoch, sequence, range);
                        record.written(blob.version());
                        return change;
                    });
        } finally {
            mutation.unlock();
        }
    }

    /** The body before a change; null when absent. ESTALE for a number that is not the next. */
    private @Nullable BlobBody before(long sequence) {
        BlobBody blob = usable();
        long last = blob == null ? 0 : blob.version().sequence();
        if (sequence <= last) {
            throw new FsException(
                    Errno.ESTALE, key + " is at write " + last + ", not before " + sequence);
        }
        return blob;
    }

    /** The body for a change: a packed one is made plain. */
    private @Nullable BlobBody plain(@Nullable BlobBody blob) throws IOException {
        if (blob != null && blob.isPacked()) {
            put(Replacement.plain(shelf, key, blob), false);
        }
        return usable();
    }

    /** As {@link BlobVerification#pack}; how many bytes less it takes then, 0 when not packed. */
    long pack(Codec codec) throws IOException {
        mutation.lock();
        try {
            BlobBody blob = usable();
            if (blob == null || blob.isPacked()) {
                return 0;
            }
            flush();
            Replacement packed =
                    Replacement.packed(shelf, key, blob, codec, mutation::hasQueuedThreads);
            if (packed != null) {
                put(packed, false);
            }
            return packed == null ? 0 : (long) Limits.BLOCK_BYTES * packed.savedBlocks();
        } finally {
            mutation.unlock();
        }
    }

    /** Names the blob and the blocks to be changed in the log. */
    private void prepare(@Nullable BlobBody blob, int first, int count) throws IOException {
        if (blob != null && (uncertain || !blob.isTidy())) {
            sync(blob);
        }
        shelf.log.beforeWrite(key, blob == null ? null : blob.claim(first, count));
    }

    private BlobBody create(int newLog2) throws IOException {
        BlobFile fresh = shelf.create(key, newLog2, record::begin);
        file = fresh;
        BlobBody made = new BlobBody(key, fresh);
        body = made;
        condition = Condition.GOOD;
        uncertain = false;
        nameSynced = false;
        return made;
    }

    /** Makes everything written before durable. */
    public void flush() throws IOException {
        mutation.lock();
        try {
            BlobBody blob = usable();
            if (blob == null) {
                shelf.delete(key);
            } else if (!blob.isHeaderSynced() || !nameSynced || uncertain || !blob.isTidy()) {
                sync(blob);
            }
        } finally {
            mutation.unlock();
        }
    }

    private void sync(BlobBody blob) throws IOException {
        boolean tidy = false;
        try {
            blob.tidy();
            tidy = true;
            long beganNs = shelf.meter.begin();
            blob.force();
            if (!nameSynced) {
                shelf.forceName(key);
                nameSynced = true;
            }
            record.synced(blob.version(), blob.file().savedBlocks(blob.map()));
            shelf.meter.synced(beganNs);
        } catch (IOException e) {
            if (!tidy && e instanceof DiskFullException) {
                throw e; // Nothing is lost.
            }
            throw fence(e);
        }
        uncertain = false;
        shelf.log.flushed(key, blob.syncedSequence());
    }

    /** The state on disk is unknown from now on: no caller may rely on the blob again. */
    private FsException fence(IOException cause) {
        boolean full = DiskFullException.isBehind(cause);
        shelf.notice(cause);
        condition = Condition.FENCED;
        reason = "a write or sync failed: " + cause.getMessage();
        shelf.fence(key, reason, full);
        return new FsException(
                full ? Errno.ENOSPC : Errno.EIO, shelf.paths.blob(key) + ": " + reason, cause);
    }

    /** Removes the file. */
    void delete() throws IOException {
        alone(this::remove);
    }

    /** Does what nobody else may do or see meanwhile. */
    private void alone(DiskWork.Step work) throws IOException {
        mutation.lock();
        changing.lock();
        try {
            work.run();
        } finally {
            changing.unlock();
            mutation.unlock();
        }
    }

    private void remove() throws IOException {
        closeFile();
        condition = Condition.ABSENT;
        reason = "";
        uncertain = false;
        loaded = false; // What follows may fail: then the file is looked at again.
        shelf.remove(key, record::remove);
        loaded = true;
    }

    /** Puts a complete, synced replacement in place. */
    public void replace(Replacement replacement) throws IOException {
        put(replacement, true);
    }

    /** The same; without {@code doubted} the contents and what is wrong with them stay. */
    private void put(Replacement replacement, boolean doubted) throws IOException {
        alone(
                () -> {
                    boolean existed = file != null;
                    boolean unwell = condition != Condition.GOOD || shelf.troubles.containsKey(key);
                    try {
                        replacement.announce(record, existed);
                        closeFile();
                        loaded = false;
                        replacement.place(record, existed, doubted && unwell);
                    } catch (IOException | RuntimeException e) {
                        replacement.giveUp(e);
                        throw e;
                    }
                    if (doubted) {
                        shelf.troubles.remove(key);
                    }
                    take(loader.load(key, false));
                });
    }

    /** The state in which it must be at least; NONE when nothing must be there. */
    public Mark expected() {
        return record.expected();
    }

    /** Another member knows that it was in a later state: what is here is not the last one. */
    public void expect(Mark mark) throws IOException {
        alone(
                () -> {
                    record.expect(mark);
                    closeFile();
                    loaded = false;
                    take(loader.load(key, false));
                });
    }

    /** Takes what is there when no other copy exists. Returns what is there for certain. */
    public @Nullable WriteMark settle(long epoch) throws IOException {
        mutation.lock();
        changing.lock();
        try {
            BlobBody blob = body;
            boolean explained =
                    (condition == Condition.GOOD || condition == Condition.DOUBTFUL)
                            && shelf.log.isRecovered(key);
            if (explained && blob != null && !blob.isPacked()) {
                return settle(blob, epoch);
            }
            throw shelf.unusable(key, Condition.DAMAGED, "nothing explains its damage");
        } catch (DiskFullException e) {
            closeFile();
            loaded = false; // As it stands on the disk it is in doubt as before.
            throw e;
        } catch (IOException e) {
            throw fence(e);
        } finally {
            changing.unlock();
            mutation.unlock();
        }
    }

    private @Nullable WriteMark settle(BlobBody blob, long epoch) throws IOException {
        Settlement settlement = new Settlement(shelf, key, blob, epoch);
        BlobVersion kept = settlement.run() ? whole : null;
        condition = Condition.GOOD;
        reason = "";
        whole = null;
        shelf.log.setDoubtful(key, false);
        shelf.troubles.remove(key);
        settlement.tell();
        sync(blob);
        return kept == null ? null : kept.mark();
    }

    private void closeFile() throws IOException {
        if (file != null) {
            file.close();
        }
        file = null;
        body = null;
    }

    /** Looks at the file anew if its key was dropped. */
    void closeDropped() throws IOException {
        alone(
                () -> {
                    if (file != null && shelf.seals.isDropped(file.keyNumber())) {
                        closeFile();
                        loaded = false;
                        take(loader.load(key, false));
                    }
                });
    }

    /** Closes the file; nobody uses the blob any more. */
    void close() throws IOException {
        alone(
                () -> {
                    closeFile();
                    loaded = false;
                    shelf.log.closed(key);
                });
    }
}
