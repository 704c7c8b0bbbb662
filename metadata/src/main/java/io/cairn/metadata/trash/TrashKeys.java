package io.cairn.metadata.trash;

import io.cairn.metadata.state.Keys;
import io.cairn.wire.Encoder;

/** The keys of the family {@code TRASH}; {@link Keys} is their legend. */
final class TrashKeys {
    private static final int RECORD = 0;
    private static final int END = 1;
    private static final int KEPT = 2;
    private static final int SUMS = 3;

    private TrashKeys() {}

    private static byte[] of(int part, long number) {
        return new Encoder(9).u8(part).i64(number).toBytes();
    }

    /** The key of the record of an inode. */
    static byte[] record(long ino) {
        return of(RECORD, ino);
    }

    /** The prefix of all records. */
    static byte[] records() {
        return new byte[] {RECORD};
    }

    /** The key that puts an inode in the order of ends. */
    static byte[] end(long expiresNs, long ino) {
        return new Encoder(17).u8(END).i64(expiresNs).i64(ino).toBytes();
    }

    /** The prefix of the order of ends. */
    static byte[] ends() {
        return new byte[] {END};
    }

    /** The key of the time for which a directory keeps what is removed from it. */
    static byte[] kept(long ino) {
        return of(KEPT, ino);
    }

    /** The prefix of these. */
    static byte[] kept() {
        return new byte[] {KEPT};
    }

    /** The key of the sums. */
    static byte[] sums() {
        return new byte[] {SUMS};
    }

    /** The inode of the key of a record or of a time. */
    static long inoOf(byte[] key) {
        return Keys.numberAt(key, 1);
    }

    /** The end in a key of the order of ends, in nanoseconds since 1970. */
    static long endOf(byte[] key) {
        return Keys.numberAt(key, 1);
    }

    /** The inode in a key of the order of ends. */
    static long endingOf(byte[] key) {
        return Keys.numberAt(key, 9);
    }
}
