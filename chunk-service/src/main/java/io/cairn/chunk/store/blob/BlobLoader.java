package io.cairn.chunk.store.blob;

import io.cairn.chunk.store.blob.LoadedBlob.Blocks;
import io.cairn.chunk.store.format.BlobHeader;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.format.BlockMap;
import io.cairn.chunk.store.format.Condition;
import io.cairn.chunk.store.format.IntentRecord.Kind;
import io.cairn.chunk.store.format.LedgerEntry;
import io.cairn.chunk.store.format.LedgerEntry.Mark;
import io.cairn.chunk.store.format.PendingBlocks;
import io.cairn.chunk.store.pack.SlotTable;
import io.cairn.chunk.store.seal.SealException;
import io.cairn.runtime.Disk.DiskFile;
import io.cairn.runtime.DiskFullException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens blob files and decides what state they are in. Everything that an unclean stop can leave is
 * told apart here:
 *
 * <ul>
 *   <li>There is no header: the blob is damaged, if log, ledger or the file itself tell that it was
 *       synced. Else it was never written whole, and goes out of the way.
 *   <li>The table belongs to the newest header: whole.
 *   <li>The table becomes that of the newest header when the pending entries are put in: the write
 *       under way was cut off. Each of its blocks is looked at: all new, the write is completed;
 *       all old, it is undone; some of each, in doubt.
 *   <li>Otherwise the data is asked: when the checksums of the data as it stands add up to the sum
 *       in the header, then the data is whole and only table entries are lost; they are restored.
 *       This is no guess: the header vouches for them.
 *   <li>Otherwise the blob is in doubt if the log names it, else damaged.
 * </ul>
 *
 * <p>A blob that was synced before is checked as a whole when the log names it ({@code thorough}).
 * A blob of which no header tells that it was ever synced is always checked: after a loss of power
 * the log need not name it, and it may be cut anywhere. Thread-safe; no two threads load one blob
 * at a time.
 */
public final class BlobLoader {
    private static final Logger LOG = LoggerFactory.getLogger(BlobLoader.class);

    private final BlobContext shelf;

    /** A loader for a target. */
    BlobLoader(BlobContext shelf) {
        this.shelf = shelf;
    }

    /**
     * Opens a blob.
     *
     * @param thorough whether to verify the data of all blocks
     */
    LoadedBlob load(BlobKey key, boolean thorough) throws IOException {
        Path path = shelf.paths.blob(key);
        if (!shelf.disk.exists(path)) {
            return LoadedBlob.ABSENT;
        }
        DiskFile opened;
        try {
            opened = shelf.disk.open(path);
        } catch (NoSuchFileException e) {
            return LoadedBlob.ABSENT;
        }
        try {
            long bytes = opened.size();
            int log2 = BlobFile.chunkSizeLog2Of(bytes);
            BlobFile file = new BlobFile(opened, path, log2, shelf.scratch);
            try {
                DiskFile plain = shelf.seals.opened(key, opened, BlobFile.fileBytes(log2));
                file = new BlobFile(plain, path, log2, shelf.scratch);
            } catch (SealException e) {
                if (e.isFinal()) {
                    shelf.lost(key, String.valueOf(e.getMessage()));
                    shelf.log.forget(key); // No sync ever ends what it says.
                }
                return LoadedBlob.damaged(file, String.valueOf(e.getMessage()));
            } catch (IOException e) {
                return LoadedBlob.damaged(file, "it cannot be read: " + e.getMessage());
            }
            boolean cut = bytes < BlobFile.fileBytes(log2);
            LoadedBlob loaded = new Examination(file, key, cut).run(thorough);
            if (loaded.condition() == Condition.ABSENT) {
                opened.close();
            }
            return loaded;
        } catch (IOException e) {
            opened.close();
            throw e;
        }
    }

    /** One blob. */
    private final class Examination {
        private final BlobFile file;
        private final BlobKey key;
        private @Nullable Kind kind;

        /** Whether the file is shorter than it was made. */
        private final boolean cut;

        /** Whether the file tells that it was synced once. */
        private boolean marked;

        Examination(BlobFile file, BlobKey key, boolean cut) {
            this.file = file;
            this.key = key;
            this.cut = cut;
            this.kind = shelf.log.kind(key);
        }

        LoadedBlob run(boolean thorough) throws IOException {
            if (kind == Kind.FENCE) {
                return new LoadedBlob(
                        Condition.FENCED, "a write or sync of it failed before", file, null, null);
            }
            if (file.chunkSizeLog2() == 0) {
                return headless("the file is too short");
            }
            ByteBuffer trailer;
            try {
                trailer = file.readTrailer();
            } catch (IOException e) {
                return LoadedBlob.damaged(file, "it cannot be read: " + e.getMessage());
            }
            marked = BlobFile.isMarked(trailer);
            Blocks newest = newest(trailer);
            if (newest == null) {
                return isNewer(trailer)
                        ? unreadable("a later version of Cairn wrote it; start that version")
                        : headless("no valid header page");
            }
            if (newest.header().packed() && !takeSlots(trailer, newest.header())) {
                return LoadedBlob.damaged(file, "its table of slots is damaged");
            }
            boolean suspect =
                    !cut && kind == null && newest.header().syncedSequence() == 0 && !marked;
            if (suspect) {
                shelf.log.suspect(key);
                kind = Kind.NEW;
            }
            LoadedBlob judged = judge(newest);
            if (suspect && judged.condition() == Condition.ABSENT) {
                shelf.log.forget(key);
                shelf.count.add(key.group(), -1);
            }
            Blocks blocks = judged.blocks();
            if (!(thorough || suspect) || judged.condition() != Condition.GOOD || blocks == null) {
                return judged;
            }
            int length = blocks.header().version().lengthBytes();
            if (kind != null) {
                // Of a longer write that was lost: the next one beyond would bring it to light.
                // Without room that is done before there is a next one.
                ifRoom(() -> file.clearBeyond(length));
            }
            BitSet failing = file.failing(blocks.map(), length);
            if (failing.isEmpty()) {
                return judged;
            }
            String reason = failing.cardinality() + " blocks fail their checksum";
            if (mayBeCutOff()) {
                return doubtful(blocks, reason);
            }
            // The other blocks are good: reading a bad one fails at the reader.
            shelf.trouble(key, Condition.DAMAGED, reason);
            return judged;
        }

        /** Whether an unclean stop explains damage; none to a file that never changed. */
        private boolean mayBeCutOff() {
            return kind != null && !shelf.kept && !file.isPacked();
        }

        private boolean takeSlots(ByteBuffer trailer, BlobHeader header) {
            int log2 = header.chunkSizeLog2();
            SlotTable slots =
                    SlotTable.decode(page(trailer, 1), log2, header.version().lengthBytes());
            if (slots == null) {
                return false;
            }
            file.setSlots(slots);
            return true;
        }

        private LoadedBlob doubtful(Blocks blocks, String reason) {
            return new LoadedBlob(Condition.DOUBTFUL, reason, file, blocks, null);
        }

        /** When no byte of a blob was ever promised to last, the file goes out of the way. */
        private LoadedBlob unreadable(String reason) throws IOException {
            if (kind != Kind.NEW || isPromised()) {
                return LoadedBlob.damaged(file, reason);
            }
            LOG.warn("{}: its first write was cut off; quarantined", file.path());
            shelf.quarantine(key);
            return LoadedBlob.ABSENT;
        }

        private boolean isPromised() throws IOException {
            LedgerEntry known = shelf.ledger.find(key);
            return marked || (known != null && known.latest().isKnown());
        }

        /**
         * A file with a name and no header. Power may have been lost right after its first write,
         * before the log told the disk of it: then no byte was promised, either. The ledger knows
         * nothing of the blob then, or only that it was about to be made.
         */
        private LoadedBlob headless(String reason) throws IOException {
            if (kind != null || isPromised()) {
                return unreadable(reason);
            }
            shelf.log.suspect(key);
            kind = Kind.NEW;
            LoadedBlob judged = unreadable(reason);
            shelf.log.forget(key);
            shelf.count.add(key.group(), -1);
            return judged;
        }

        private ByteBuffer page(ByteBuffer trailer, int i) {
            int at = i * BlobHeader.PAGE_BYTES;
            int bytes = Math.clamp(trailer.limit() - at, 0, BlobHeader.PAGE_BYTES);
            return bytes == 0 ? ByteBuffer.allocate(0) : trailer.slice(at, bytes);
        }

        private boolean isNewer(ByteBuffer trailer) {
            return BlobHeader.isNewer(page(trailer, 0)) || BlobHeader.isNewer(page(trailer, 1));
        }

        private @Nullable Blocks newest(ByteBuffer trailer) {
            BlobHeader newest = null;
            int at = 0;
            for (int i = 0; i < BlobFile.PAGES; i++) {
                BlobHeader header = BlobHeader.decode(page(trailer, i));
                if (header != null
                        && header.key().equals(key)
                        && header.chunkSizeLog2() == file.chunkSizeLog2()
                        && (newest == null || header.generation() > newest.generation())) {
                    newest = header;
                    at = i;
                }
            }
            if (newest == null) {
                return null;
            }
            BlockMap map = new BlockMap(file.chunkSizeLog2());
            map.setBitmap(newest.allocated());
            int table = BlobFile.PAGES * BlobHeader.PAGE_BYTES;
            if (trailer.limit() > table) {
                map.decode(trailer.slice(table, trailer.limit() - table));
            }
            return new Blocks(newest, at, map);
        }

        private LoadedBlob judge(Blocks found) throws IOException {
            BlobHeader header = found.header();
            BlockMap map = found.map();
            PendingBlocks pending = header.pending();
            int[] old = new int[pending.count()];
            BitSet differing = new BitSet();
            for (int i = 0; i < pending.count(); i++) {
                int block = pending.first() + i;
                old[i] = map.entry(block);
                if (old[i] != pending.entry(i)) {
                    differing.set(block);
                    map.setEntry(block, pending.entry(i));
                }
            }
            boolean whole = !cut && differing.isEmpty();
            // Without a record in the log a write cannot have been cut off: this is damage, and the
            // header may be an old one.
            if (map.sum() == header.version().tableSum() && (whole || kind != null)) {
                return differing.isEmpty()
                        ? LoadedBlob.good(file, found)
                        : cutOff(found, differing, old);
            }
            differing.stream().forEach(block -> map.setEntry(block, old[block - pending.first()]));
            return restore(found);
        }

        /** The table lacks the entries of the last write: did the data get there? */
        private LoadedBlob cutOff(Blocks found, BitSet differing, int[] old) throws IOException {
            BlobHeader header = found.header();
            BlockMap map = found.map();
            int first = header.pending().first();
            BitSet oldBlocks = new BitSet();
            BitSet badBlocks = new BitSet();
            BitSet emptyBlocks = new BitSet();
            file.visit(
                    first,
                    header.pending().count(),
                    1 << header.chunkSizeLog2(),
                    (block, bytes, position, length) -> {
                        int entry = BlobFile.entryOf(bytes, position, length);
                        emptyBlocks.set(block, isZero(bytes, position, length));
                        if (differing.get(block) && entry != map.entry(block)) {
                            (entry == old[block - first] ? oldBlocks : badBlocks).set(block);
                        }
                    });
            if (oldBlocks.isEmpty() && badBlocks.isEmpty()) {
                boolean stored =
                        ifRoom(() -> file.writeTable(map, first, header.pending().count()));
                return LoadedBlob.mended(file, found, stored);
            }
            oldBlocks.stream()
                    .forEach(
                            block -> {
                                map.setEntry(block, old[block - first]);
                                map.setAllocated(block, !emptyBlocks.get(block));
                            });
            if (oldBlocks.equals(differing) && map.sum() == header.previous().tableSum()) {
                return undo(found);
            }
            if (shelf.kept && !badBlocks.isEmpty()) {
                return LoadedBlob.damaged(
                        file, badBlocks.cardinality() + " blocks are not those written");
            }
            boolean certain = badBlocks.isEmpty() && isOfPrevious(found, differing, old);
            return new LoadedBlob(
                    Condition.DOUBTFUL,
                    "its last write was cut off",
                    file,
                    found,
                    certain ? header.previous() : null);
        }

        /**
         * Whether the blocks that the last write did not reach are those of the version before it:
         * after a loss of power data and table may both be older.
         */
        private static boolean isOfPrevious(Blocks found, BitSet differing, int[] old) {
            BlockMap map = found.map();
            int first = found.header().pending().first();
            int[] now = differing.stream().map(map::entry).toArray();
            differing.stream().forEach(block -> map.setEntry(block, old[block - first]));
            boolean same = map.sum() == found.header().previous().tableSum();
            int i = 0;
            for (int b = differing.nextSetBit(0); b >= 0; b = differing.nextSetBit(b + 1)) {
                map.setEntry(b, now[i++]);
            }
            return same;
        }

        /** Makes the version before the cut-off write the current one. */
        private LoadedBlob undo(Blocks found) throws IOException {
            BlobHeader header = found.header();
            if (header.previous().sequence() == 0) {
                // A blob that was synced had a write that was not cut off.
                return kind == Kind.NEW
                        ? unreadable("its first write was cut off")
                        : doubtful(found, "its last write was cut off");
            }
            LedgerEntry known = shelf.ledger.find(key);
            if (known != null && known.synced().equals(Mark.of(header.version()))) {
                // It was synced whole: a later write, whose header is lost, made the blocks again
                // what they were before.
                return doubtful(found, "a later write was cut off");
            }
            BlobHeader undone =
                    new BlobHeader(
                            key,
                            header.chunkSizeLog2(),
                            header.generation() + 1,
                            header.syncedSequence(),
                            header.previous(),
                            header.previous(),
                            PendingBlocks.NONE,
                            found.map().bitmap(),
                            false);
            // The same page: the other one holds the last synced header.
            boolean stored = ifRoom(() -> file.writeHeader(found.page(), undone));
            return LoadedBlob.mended(file, new Blocks(undone, found.page(), found.map()), stored);
        }

        /** The table does not belong to the header: does the data? */
        private LoadedBlob restore(Blocks found) throws IOException {
            BlobHeader header = found.header();
            BlockMap proof = new BlockMap(header.chunkSizeLog2());
            proof.setBitmap(found.map().bitmap());
            // Data beyond the length is of a write that was lost, if one may have been: else it
            // shows that a newer header is damaged.
            int reach = kind == null ? 1 << header.chunkSizeLog2() : header.version().lengthBytes();
            file.visit(
                    0,
                    proof.blocks(),
                    reach,
                    (block, bytes, position, length) ->
                            proof.setEntry(block, BlobFile.entryOf(bytes, position, length)));
            if (proof.sum() == header.version().tableSum()) {
                LOG.warn("{}: restored lost checksums, which the header proves", file.path());
                boolean stored = ifRoom(() -> file.writeTable(proof, 0, proof.blocks()));
                if (kind == null) {
                    shelf.found.putIfAbsent(key, "its checksums were damaged");
                }
                return LoadedBlob.mended(file, new Blocks(header, found.page(), proof), stored);
            }
            String reason = "its checksums do not match its header";
            return mayBeCutOff() ? doubtful(found, reason) : LoadedBlob.damaged(file, reason);
        }
    }

    /** Mends something on the disk; whether there was room. */
    private static boolean ifRoom(DiskWork.Step step) throws IOException {
        try {
            step.run();
            return true;
        } catch (DiskFullException e) {
            LOG.info("{}; it is mended when there is room", e.getMessage());
            return false;
        }
    }

    /** Whether a block holds only zeros. */
    public static boolean isZero(ByteBuffer bytes, int position, int length) {
        int at = position;
        for (; at + Long.BYTES <= position + length; at += Long.BYTES) {
            if (bytes.getLong(at) != 0) {
                return false;
            }
        }
        for (; at < position + length; at++) {
            if (bytes.get(at) != 0) {
                return false;
            }
        }
        return true;
    }
}
