package io.cairn.metadata.trash;

import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.wire.Decoder;
import org.jspecify.annotations.Nullable;

/**
 * Sums of all files in the trash. Immutable.
 *
 * @param files how many there are, and symbolic links and special files
 * @param sizeBytes their lengths
 * @param storedBytes what their contents take in chunks, one copy of each
 */
public record TrashSums(long files, long sizeBytes, long storedBytes) {
    /** Of an empty trash. */
    public static final TrashSums NONE = new TrashSums(0, 0, 0);

    static TrashSums decode(byte @Nullable [] value) {
        if (value == null) {
            return NONE;
        }
        Decoder in = Keys.open(Family.TRASH, value);
        return new TrashSums(in.i64(), in.i64(), in.i64());
    }

    byte[] encode() {
        return Keys.value(24).i64(files).i64(sizeBytes).i64(storedBytes).toBytes();
    }

    /** The sums with a record more or less; a directory does not count. */
    TrashSums plus(TrashRecord record, int sign) {
        if (record.isDirectory()) {
            return this;
        }
        return new TrashSums(
                files + sign,
                sizeBytes + sign * record.before().size(),
                storedBytes + sign * record.storedBytes());
    }
}
