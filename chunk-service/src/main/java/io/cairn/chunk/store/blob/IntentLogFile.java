package io.cairn.chunk.store.blob;

import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.format.ChangedBlocks;
import io.cairn.chunk.store.format.Claim;
import io.cairn.chunk.store.format.IntentRecord;
import io.cairn.chunk.store.format.IntentRecord.Kind;
import io.cairn.chunk.store.format.TargetException;
import io.cairn.chunk.store.format.TargetException.Reason;
import io.cairn.chunk.store.format.TargetPaths;
import io.cairn.runtime.Disk;
import io.cairn.runtime.Disk.DiskFile;
import io.cairn.runtime.DiskFullException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The file of the {@link IntentLog}: {@code intents} in the target. Big-endian:
 *
 * <pre>
 *   0 +----------------------------------------------------------+
 *     | magic "CAIRNINT" (8)                                     |
 *   8 +----------------------------+-----------------------------+
 *     | format version (4)         | CRC32C of bytes 16..63 (4)  |
 *  16 +----------------------------+-----------------------------+
 *     | identity of the target (8)                               |
 *  24 +----------------------------------------------------------+
 *     | bytes of the file synced when it was made (8)            |
 *  32 +----------------------------------------------------------+
 *     | start of the machine, 0 when unknown (8)                 |
 *  40 +----------------------------+-----------------------------+
 *     | files of the ledger (4)    | 0 (20)                      |
 *  64 +----------------------------------------------------------+
 *     | {@link IntentRecord}s of 64 bytes                        |
 *     +----------------------------------------------------------+
 * </pre>
 *
 * A file is made beside and renamed. Its tail may be torn by power loss; a bad record below what
 * was known to be synced is damage, and then no blob of the target can be trusted unseen.
 *
 * <p>Not thread-safe, except {@link #force}.
 */
public final class IntentLogFile implements AutoCloseable {
    private static final long MAGIC = 0x434149524e494e54L;
    private static final int FORMAT_VERSION = 1;
    private static final int HEADER_BYTES = 64;

    /** Room for this many records is taken in advance: a full disk goes on with its blobs. */
    private static final int SPARE_RECORDS = 1024;

    /** A log of more than this is damage: about 5 million records. */
    private static final long MAX_BYTES = 256L << 20;

    private final Disk disk;
    private final TargetPaths paths;
    private final long identity;
    private final long boot;
    private final IntSupplier ledgers;
    private final ByteBuffer record = ByteBuffer.allocateDirect(IntentRecord.BYTES);
    private @Nullable DiskFile file;
    private long end;

    /**
     * Opens nothing yet.
     *
     * @param boot this start of the machine, 0 when unknown
     * @param ledgers how many files the ledger has
     */
    public IntentLogFile(
            Disk disk, TargetPaths paths, long identity, long boot, IntSupplier ledgers) {
        this.disk = disk;
        this.paths = paths;
        this.identity = identity;
        this.boot = boot;
        this.ledgers = ledgers;
    }

    /**
     * The contents of a log file.
     *
     * @param kinds blobs that may differ from their last sync
     * @param changed which blocks of those that were synced
     * @param trusted false when records are missing
     * @param boot the start of the machine in which it was made; 0 when that is not known
     * @param ledgers how many files the ledger had at least
     */
    public record Contents(
            Map<BlobKey, Kind> kinds,
            Map<BlobKey, ChangedBlocks> changed,
            boolean trusted,
            long boot,
            int ledgers) {
        static Contents untrusted() {
            return new Contents(Map.of(), Map.of(), false, 0, 0);
        }

        /** Which blocks of a blob. */
        ChangedBlocks changed(BlobKey key) {
            return changed.getOrDefault(key, new ChangedBlocks());
        }

        /** Whether power cannot have been lost since the log was made. */
        public boolean isOf(long presentBoot) {
            return trusted && boot != 0 && boot == presentBoot;
        }
    }

    Path path() {
        return paths.intents();
    }

    boolean isOpen() {
        return file != null;
    }

    /** Length in bytes. */
    long end() {
        return end;
    }

    /** Makes a new file with some records, durably, in place of the old one; its length. */
    long rewrite(List<IntentRecord> live) throws IOException {
        int bytes = HEADER_BYTES + live.size() * IntentRecord.BYTES;
        ByteBuffer contents = ByteBuffer.allocate(bytes);
        contents.putLong(MAGIC).putInt(FORMAT_VERSION).putInt(0);
        contents.putLong(identity).putLong(bytes).putLong(boot).putInt(ledgers.getAsInt());
        contents.putInt(12, checksum(contents));
        contents.position(HEADER_BYTES);
        for (IntentRecord each : live) {
            new IntentRecord(each.kind(), contents.position(), bytes, each.key(), each.claim())
                    .encode(contents);
        }
        disk.delete(paths.newIntents());
        DiskFile fresh = disk.openOrCreate(paths.newIntents());
        try {
            fresh.write(contents.flip(), 0);
            spare(fresh, bytes);
            fresh.force(true);
            disk.rename(paths.newIntents(), paths.intents());
            disk.forceDirectory(paths.root());
        } catch (IOException e) {
            fresh.close();
            throw e;
        }
        close();
        file = fresh;
        end = bytes;
        return end;
    }

    /** Zeros are no records: they tell nothing. */
    private static void spare(DiskFile fresh, int at) throws IOException {
        try {
            fresh.write(ByteBuffer.allocate(SPARE_RECORDS * IntentRecord.BYTES), at);
        } catch (DiskFullException e) {
            fresh.truncate(at);
        }
    }

    /** Appends a record, not yet durable; the length afterwards. */
    long append(Kind kind, BlobKey key, Claim claim, long durableBytes) throws IOException {
        new IntentRecord(kind, end, durableBytes, key, claim).encode(record.clear());
        open().write(record.flip(), end);
        end += IntentRecord.BYTES;
        return end;
    }

    /** Makes the records durable. May run while records are appended, not while rewritten. */
    void force() throws IOException {
        open().force(false);
    }

    private DiskFile open() throws IOException {
        if (file == null) {
            throw new IOException(path() + " is not open");
        }
        return file;
    }

    /** Reads the log of a target. */
    public static Contents read(Disk disk, TargetPaths paths, long identity) throws IOException {
        Path path = paths.intents();
        if (!disk.exists(path)) {
            return Contents.untrusted();
        }
        ByteBuffer bytes;
        try (DiskFile file = disk.open(path)) {
            long size = file.size();
            if (size < HEADER_BYTES || size > MAX_BYTES) {
                return Contents.untrusted();
            }
            bytes = ByteBuffer.allocate((int) size);
            file.readAll(bytes, 0);
            bytes.flip();
        }
        if (bytes.getLong(0) == MAGIC && bytes.getInt(8) > FORMAT_VERSION) {
            throw new TargetException(
                    Reason.TOO_NEW,
                    path + " was written by a later version of Cairn; start that version");
        }
        if (bytes.getLong(0) != MAGIC
                || bytes.getInt(8) != FORMAT_VERSION
                || bytes.getInt(12) != checksum(bytes)
                || bytes.getLong(16) != identity) {
            return Contents.untrusted();
        }
        return parse(bytes);
    }

    private static Contents parse(ByteBuffer bytes) {
        Map<BlobKey, Kind> kinds = new LinkedHashMap<>();
        Map<BlobKey, ChangedBlocks> changed = new HashMap<>();
        long durable = bytes.getLong(24);
        long firstBad = Long.MAX_VALUE;
        int at = HEADER_BYTES;
        for (; at + IntentRecord.BYTES <= bytes.limit(); at += IntentRecord.BYTES) {
            IntentRecord record = IntentRecord.decode(bytes, at);
            if (record == null) {
                firstBad = Math.min(firstBad, at);
                continue;
            }
            durable = Math.max(durable, record.durableBytes());
            if (record.kind() == Kind.CLEAR) {
                kinds.remove(record.key());
                changed.remove(record.key());
            } else {
                kinds.put(record.key(), record.kind());
                if (record.kind() == Kind.INTENT) {
                    changed.computeIfAbsent(record.key(), k -> new ChangedBlocks())
                            .add(record.claim());
                }
            }
        }
        boolean trusted = durable <= Math.min(firstBad, at);
        return new Contents(kinds, changed, trusted, bytes.getLong(32), bytes.getInt(40));
    }

    private static int checksum(ByteBuffer header) {
        CRC32C crc = new CRC32C();
        crc.update(header.slice(16, HEADER_BYTES - 16));
        return (int) crc.getValue();
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
            file = null;
        }
    }
}
