package io.cairn.metadata.state;

import java.nio.ByteBuffer;

/** The keys of what was kept of records for snapshots, as {@link Keys} draws them. */
public final class HistoryKeys {
    private static final int VERSION_BYTES = Long.BYTES;

    private HistoryKeys() {}

    /** The prefix of what was kept of one record, without that of any other one. */
    static byte[] of(Store.Family family, byte[] key) {
        byte[] prefix = new byte[key.length + 2];
        prefix[0] = (byte) code(family);
        System.arraycopy(key, 0, prefix, 1, key.length);
        // Versions begin with a byte of zeros, which is in no name.
        return prefix;
    }

    /** The key of the state of a record that a mutation has replaced. */
    static byte[] of(Store.Family family, byte[] key, long version) {
        byte[] history = new byte[key.length + 1 + VERSION_BYTES];
        history[0] = (byte) code(family);
        System.arraycopy(key, 0, history, 1, key.length);
        ByteBuffer.wrap(history).putLong(key.length + 1, version);
        return history;
    }

    /** The prefix of what was kept of the records of a family that begin with a prefix. */
    public static byte[] prefix(Store.Family family, byte[] prefix) {
        byte[] history = new byte[prefix.length + 1];
        history[0] = (byte) code(family);
        System.arraycopy(prefix, 0, history, 1, prefix.length);
        return history;
    }

    private static int code(Store.Family family) {
        return switch (family) {
            case INODE -> 1;
            case DENTRY -> 2;
            case XATTR -> 3;
            default -> throw new IllegalArgumentException("no history of " + family);
        };
    }

    /** The key of the record that something was kept of. */
    public static byte[] record(byte[] historyKey) {
        byte[] key = new byte[historyKey.length - 1 - VERSION_BYTES];
        System.arraycopy(historyKey, 1, key, 0, key.length);
        return key;
    }

    /** The version of the mutation that replaced what was kept. */
    public static long end(byte[] historyKey) {
        return Keys.numberAt(historyKey, historyKey.length - VERSION_BYTES);
    }
}
