package io.cairn.chunk.store.seal;

import io.cairn.runtime.Disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A blob file that is encrypted, as if it were not. Reads of holes give zeros. Thread-safe as far
 * as the file is, but for writes: those of one file come one after the other.
 */
public final class SealedFile implements DiskFile {
    private static final int UNIT = Xts.UNIT;

    private final DiskFile file;
    private final Seal seal;
    private final long bytes;

    /**
     * A file with its page.
     *
     * @param bytes how long it seems to be, a multiple of 16
     */
    SealedFile(DiskFile file, Seal seal, long bytes) {
        this.file = file;
        this.seal = seal;
        this.bytes = bytes;
    }

    /** Number of the key of the class. */
    public int keyNumber() {
        return seal.number();
    }

    /** The same over another open file of the same name; closed with that one. */
    public SealedFile over(DiskFile other) {
        return new SealedFile(other, seal, bytes);
    }

    @Override
    public int read(ByteBuffer target, long offsetBytes) throws IOException {
        if (offsetBytes >= bytes) {
            return -1;
        }
        if (!target.hasRemaining()) {
            return 0;
        }
        int within = (int) (offsetBytes % UNIT);
        if (within != 0 || target.remaining() < UNIT) {
            return readPart(target, offsetBytes - within, within);
        }
        int from = target.position();
        int got = file.read(target, offsetBytes);
        if (got < UNIT) {
            target.position(from);
            return got < 0 ? got : readPart(target, offsetBytes, 0);
        }
        // Part of a unit tells nothing: the next call gets it.
        int whole = (int) Math.min(got, bytes - offsetBytes) / UNIT * UNIT;
        decrypt(target, from, whole, offsetBytes);
        target.position(from + whole);
        return whole;
    }

    private void decrypt(ByteBuffer target, int from, int length, long at) {
        byte[] piece = new byte[Math.min(length, Xts.MOST)];
        seal.with(
                cipher -> {
                    for (int done = 0; done < length; done += piece.length) {
                        int some = Math.min(piece.length, length - done);
                        target.get(from + done, piece, 0, some);
                        cipher.decrypt(piece, some, at + done);
                        target.put(from + done, piece, 0, some);
                    }
                });
    }

    /** Reads from within one unit. */
    private int readPart(ByteBuffer target, long at, int within) throws IOException {
        byte[] unit = unit(at);
        int some = Math.min(target.remaining(), UNIT - within);
        target.put(unit, within, some);
        return some;
    }

    /** A unit as it is; what the file does not hold is zeros. */
    private byte[] unit(long at) throws IOException {
        byte[] unit = new byte[UNIT];
        file.readAll(ByteBuffer.wrap(unit), at);
        seal.with(cipher -> cipher.decrypt(unit, UNIT, at));
        return unit;
    }

    @Override
    public void write(ByteBuffer source, long offsetBytes) throws IOException {
        long at = offsetBytes / UNIT * UNIT;
        int before = (int) (offsetBytes - at);
        while (source.hasRemaining()) {
            int some = Math.min(source.remaining(), Xts.MOST - before);
            int length = (before + some + UNIT - 1) / UNIT * UNIT;
            byte[] piece = new byte[length];
            if (before > 0) {
                System.arraycopy(unit(at), 0, piece, 0, UNIT);
            }
            if (before + some < length && (before == 0 || length > UNIT)) {
                System.arraycopy(unit(at + length - UNIT), 0, piece, length - UNIT, UNIT);
            }
            source.get(piece, before, some);
            long place = at;
            seal.with(cipher -> cipher.encrypt(piece, length, place));
            file.write(ByteBuffer.wrap(piece), at);
            at += length;
            before = 0;
        }
    }

    @Override
    public void force(boolean metadata) throws IOException {
        file.force(metadata);
    }

    @Override
    public long size() {
        return bytes;
    }

    /** Gives the file the length that it has with its page; it has no other. */
    @Override
    public void truncate(long sizeBytes) throws IOException {
        if (sizeBytes != bytes) {
            throw new IllegalArgumentException(sizeBytes + " is not " + bytes);
        }
        file.truncate(Seal.sealedBytes(bytes));
    }

    @Override
    public void punchHole(long offsetBytes, long lengthBytes) throws IOException {
        if (offsetBytes % UNIT != 0 || lengthBytes % UNIT != 0) {
            throw new IllegalArgumentException(offsetBytes + ", " + lengthBytes);
        }
        file.punchHole(offsetBytes, lengthBytes);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
