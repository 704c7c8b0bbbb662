package io.cairn.master.backup;

import io.cairn.base.Sha256;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.StoredState;
import io.cairn.wire.Encoder;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.zip.CRC32C;

/** Writes one backup. For one thread; use each object once. */
public final class BackupWriter {
    static final int RECORDS = 1;
    static final int END = 2;

    /** A block ends with the record that makes it as long. */
    static final int BLOCK_BYTES = 256 << 10;

    private static final byte[] ALL = {};

    private final OutputStream out;
    private final MessageDigest digest = Sha256.digest();
    private Encoder block = new Encoder(BLOCK_BYTES);
    private int seed;
    private long blocks;
    private long records;
    private long bytes;

    private BackupWriter(OutputStream out) {
        this.out = out;
    }

    /**
     * Writes a state, from the first byte to the last. Nothing is flushed or closed.
     *
     * @param state one that does not change meanwhile
     * @throws IOException from {@code out}
     */
    public static BackupSummary write(StoredState state, BackupHead head, OutputStream out)
            throws IOException {
        return new BackupWriter(out).write(state, head);
    }

    private BackupSummary write(StoredState state, BackupHead head) throws IOException {
        writeHead(head);
        for (Family family : Family.values()) {
            begin(family);
            try {
                state.scan(family, ALL, ALL, (key, value) -> add(family, key, value));
            } catch (UncheckedIOException e) {
                if (e.getCause() instanceof Refused refused) {
                    throw refused.told;
                }
                throw e;
            }
            finish();
        }
        byte[] sha256 = digest.digest();
        write(END, new Encoder(40).i64(records).raw(sha256, 0, sha256.length).toBytes());
        return new BackupSummary(head, records, bytes, sha256);
    }

    private void writeHead(BackupHead head) throws IOException {
        byte[] fields = head.fields();
        ByteBuffer all = ByteBuffer.allocate(8 + 4 + 4 + fields.length + 4);
        all.putLong(BackupHead.MAGIC).putInt(BackupHead.VERSION).putInt(fields.length).put(fields);
        CRC32C crc = new CRC32C();
        crc.update(all.array(), 0, all.position());
        seed = (int) crc.getValue();
        all.putInt(seed);
        send(all.array());
    }

    private void begin(Family family) {
        block = block.clear().text(family.name());
    }

    private boolean add(Family family, byte[] key, byte[] value) {
        if (family == Family.META && Arrays.equals(key, Keys.position())) {
            return true; // the store's own, and in the head
        }
        block.i32(key.length).i32(value.length);
        block.raw(key, 0, key.length).raw(value, 0, value.length);
        records++;
        if (block.length() >= BLOCK_BYTES) {
            try {
                write(RECORDS, block.copy());
            } catch (IOException e) {
                throw new UncheckedIOException(new Refused(e));
            }
            begin(family);
        }
        return true;
    }

    /** A failure of the output, told apart from one of the store. */
    private static final class Refused extends IOException {
        private static final long serialVersionUID = 1L;

        private final transient IOException told;

        Refused(IOException told) {
            super(told);
            this.told = told;
        }
    }

    /** Writes what is left of a family; also when there is nothing, so that its end is seen. */
    private void finish() throws IOException {
        write(RECORDS, block.copy());
    }

    private void write(int kind, byte[] payload) throws IOException {
        send(encode(kind, blocks++, payload, seed));
    }

    static byte[] encode(int kind, long number, byte[] payload, int seed) {
        ByteBuffer all = ByteBuffer.allocate(1 + 8 + 4 + payload.length + 4);
        all.put((byte) kind).putLong(number).putInt(payload.length).put(payload);
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(4).putInt(seed).flip());
        crc.update(all.array(), 0, all.position());
        all.putInt((int) crc.getValue());
        return all.array();
    }

    private void send(byte[] piece) throws IOException {
        digest.update(piece);
        bytes += piece.length;
        out.write(piece);
    }
}
