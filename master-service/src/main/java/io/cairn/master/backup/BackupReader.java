package io.cairn.master.backup;

import io.cairn.base.Sha256;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.wire.Decoder;
import io.cairn.wire.MalformedMessageException;
import io.cairn.wire.ProtocolRange;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Reads one backup to its end, and checks everything that it says of itself. For one thread; use
 * each object once.
 */
public final class BackupReader {
    /** Longer than any record and a block before it. */
    private static final int MAX_BLOCK_BYTES = 64 << 20;

    private static final byte[] NONE = {};
    private static final List<Family> FAMILIES = List.of(Family.values());

    private final String name;
    private final InputStream in;
    private final MessageDigest digest = Sha256.digest();
    private final BackupHead head;
    private int seed;
    private long bytes;
    private long records;
    private Family family = Family.META;
    private byte[] lastKey = NONE;
    private boolean hasCluster;

    /** Takes a record. */
    @FunctionalInterface
    public interface Visitor {
        /** One record; in the order of families and keys. */
        void record(Family family, byte[] key, byte[] value) throws IOException;
    }

    /**
     * Reads the head.
     *
     * @param name of the file, for messages
     * @param in buffered; stays the caller's to close
     * @throws IOException no backup, damaged, or of a newer release; the message names the file
     */
    public BackupReader(String name, InputStream in) throws IOException {
        this.name = name;
        this.in = in;
        head = readHead();
    }

    /**
     * Reads everything. Records are handed out before the end is known to be whole: what was made
     * of them counts only when this returns.
     *
     * @throws IOException damaged or cut off; the message names the file
     */
    public BackupSummary readAll(Visitor visitor) throws IOException {
        long number = 0;
        while (true) {
            byte[] before = ((MessageDigest) cloned(digest)).digest();
            Block block = readBlock(number++);
            if (block.kind == BackupWriter.END) {
                return finish(block, before);
            }
            if (block.kind != BackupWriter.RECORDS) {
                throw damaged("it has a block of kind " + block.kind);
            }
            try {
                readRecords(new Decoder(block.payload), visitor);
            } catch (MalformedMessageException e) {
                throw damaged("block " + (number - 1) + " is not as long as it says");
            }
        }
    }

    private static Object cloned(MessageDigest digest) {
        try {
            return digest.clone();
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException("SHA-256 of the JDK can be cloned", e);
        }
    }

    private record Block(int kind, byte[] payload) {}

    private BackupHead readHead() throws IOException {
        ByteBuffer begin = ByteBuffer.wrap(read(16));
        if (begin.getLong() != BackupHead.MAGIC) {
            throw new IOException(
                    name + " is no backup of a Cairn cluster: it does not begin as one");
        }
        int version = begin.getInt();
        if (version > BackupHead.VERSION) {
            throw new IOException(
                    ("%s has format %d, this release reads up to %d: use the release that wrote"
                                    + " it, or a newer one")
                            .formatted(name, version, BackupHead.VERSION));
        }
        int length = begin.getInt();
        if (version < 1 || length < 0 || length > BackupHead.MAX_BYTES) {
            throw damaged("its head makes no sense");
        }
        byte[] fields = read(length);
        CRC32C crc = new CRC32C();
        crc.update(begin.array());
        crc.update(fields);
        seed = (int) crc.getValue();
        if (ByteBuffer.wrap(read(4)).getInt() != seed) {
            throw damaged("the checksum of its head does not match");
        }
        BackupHead told;
        try {
            told = BackupHead.decode(fields);
        } catch (MalformedMessageException e) {
            throw damaged("its head makes no sense");
        }
        if (told.level() > ProtocolRange.OURS.newest()) {
            throw new IOException(
                    ("%s is of a cluster at level %d, this release understands up to %d: use"
                                    + " release %s or a newer one")
                            .formatted(
                                    name,
                                    told.level(),
                                    ProtocolRange.OURS.newest(),
                                    told.release()));
        }
        return told;
    }

    private Block readBlock(long number) throws IOException {
        byte[] begin = read(1 + 8 + 4);
        ByteBuffer in = ByteBuffer.wrap(begin);
        int kind = in.get();
        long told = in.getLong();
        int length = in.getInt();
        if (told != number || length < 0 || length > MAX_BLOCK_BYTES) {
            throw damaged("block " + number + " is not where it should begin");
        }
        byte[] payload = read(length);
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(4).putInt(seed).flip());
        crc.update(begin);
        crc.update(payload);
        if (ByteBuffer.wrap(read(4)).getInt() != (int) crc.getValue()) {
            throw damaged("the checksum of block " + number + " does not match");
        }
        return new Block(kind, payload);
    }

    private void readRecords(Decoder in, Visitor visitor) throws IOException {
        String text = in.text();
        Family of = FAMILIES.stream().filter(f -> f.name().equals(text)).findFirst().orElse(null);
        if (of == null || of.compareTo(family) < 0) {
            throw damaged("its tables are not in order: " + text);
        }
        if (of != family) {
            family = of;
            lastKey = NONE;
        }
        while (in.remaining() > 0) {
            int keyLength = in.i32();
            int valueLength = in.i32();
            byte[] key = in.raw(keyLength);
            byte[] value = in.raw(valueLength);
            if (Arrays.compareUnsigned(key, lastKey) <= 0) {
                throw damaged("the keys of table " + text + " are not in order");
            }
            lastKey = key;
            records++;
            hasCluster |= family == Family.META && Arrays.equals(key, Keys.cluster());
            visitor.record(family, key, value);
        }
    }

    private BackupSummary finish(Block end, byte[] sha256) throws IOException {
        Decoder told = new Decoder(end.payload);
        if (end.payload.length != 40 || told.i64() != records) {
            throw damaged("it does not have as many records as it says");
        }
        if (!Arrays.equals(told.raw(32), sha256)) {
            throw damaged("its SHA-256 does not match");
        }
        if (in.read() >= 0) {
            throw damaged("something follows its end");
        }
        if (!hasCluster || family != FAMILIES.getLast()) {
            throw damaged("it does not hold a whole cluster");
        }
        return new BackupSummary(head, records, bytes, sha256);
    }

    private byte[] read(int count) throws IOException {
        byte[] piece = in.readNBytes(count);
        if (piece.length < count) {
            throw new IOException(
                    "%s is no whole backup: it ends after %d bytes; take another one"
                            .formatted(name, bytes + piece.length));
        }
        bytes += count;
        digest.update(piece);
        return piece;
    }

    private IOException damaged(String why) {
        return new IOException(
                "%s is damaged near byte %d: %s; take another backup".formatted(name, bytes, why));
    }
}
