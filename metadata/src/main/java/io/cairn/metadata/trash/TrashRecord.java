package io.cairn.metadata.trash;

import io.cairn.fs.Attributes;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.wire.Codecs;
import io.cairn.wire.Decoder;

/**
 * An inode in the trash. Immutable.
 *
 * @param ino its number
 * @param deletedNs when it was removed, nanoseconds since 1970; 0 for a directory that only holds
 *     what was removed from it
 * @param expiresNs when it goes by itself, nanoseconds since 1970; 0 for a directory that goes with
 *     the last name in it
 * @param storedBytes what its contents take in chunks, one copy of each; 0 for a directory
 * @param path where it was, as bytes that begin with a slash
 * @param before its attributes at that time; of a directory those of the one that it stands for
 */
public record TrashRecord(
        long ino,
        long deletedNs,
        long expiresNs,
        long storedBytes,
        byte[] path,
        Attributes before) {
    static TrashRecord decode(byte[] key, byte[] value) {
        Decoder in = Keys.open(Family.TRASH, value);
        long deletedNs = in.i64();
        long expiresNs = in.i64();
        long storedBytes = in.i64();
        byte[] path = in.bytes();
        return new TrashRecord(
                TrashKeys.inoOf(key),
                deletedNs,
                expiresNs,
                storedBytes,
                path,
                Codecs.attributes(in));
    }

    byte[] encode() {
        var out = Keys.value(160 + path.length);
        out.i64(deletedNs).i64(expiresNs).i64(storedBytes).bytes(path);
        Codecs.attributes(out, before);
        return out.toBytes();
    }

    /** Whether it is a directory. */
    public boolean isDirectory() {
        return before.isDirectory();
    }

    /** The same with another end. */
    TrashRecord expiring(long newDeletedNs, long newExpiresNs) {
        return new TrashRecord(ino, newDeletedNs, newExpiresNs, storedBytes, path, before);
    }
}
