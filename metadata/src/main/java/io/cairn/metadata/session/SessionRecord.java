package io.cairn.metadata.session;

import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.wire.Decoder;

/**
 * A session that is open.
 *
 * @param session its number
 * @param client what operators see, such as {@code host:/mountpoint pid}
 * @param openedNs when it was opened, nanoseconds since the epoch
 */
public record SessionRecord(long session, String client, long openedNs) {
    /** A stored session. */
    public record Stored(long session, long openingSequence, long openedNs, String client) {
        public static Stored decode(byte[] key, byte[] value) {
            Decoder in = Keys.open(Family.SESSION, value);
            return new Stored(Keys.numberAt(key, 0), in.i64(), in.i64(), in.text());
        }

        byte[] encode() {
            return Keys.value(128).i64(openingSequence).i64(openedNs).text(client).toBytes();
        }
    }
}
