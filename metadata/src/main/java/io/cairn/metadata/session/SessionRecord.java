package io.cairn.metadata.session;

import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;

/**
 * A session that is open.
 *
 * @param session its number
 * @param client what operators see, such as {@code host:/mountpoint pid}
 * @param openedNs when it was opened, nanoseconds since the epoch
 * @param mayHaveRights whether it may have rights to change names alone
 */
public record SessionRecord(long session, String client, long openedNs, boolean mayHaveRights) {
    /**
     * A stored session.
     *
     * @param numbers the inode numbers that it has reserved; not stored while there are none
     */
    record Stored(
            long session,
            long openingSequence,
            long openedNs,
            String client,
            ReservedNumbers numbers) {
        static Stored decode(byte[] key, byte[] value) {
            Decoder in = Keys.open(Family.SESSION, value);
            return new Stored(
                    Keys.numberAt(key, 0),
                    in.i64(),
                    in.i64(),
                    in.text(),
                    in.remaining() == 0 ? new ReservedNumbers() : ReservedNumbers.decode(in));
        }

        byte[] encode() {
            Encoder out = Keys.value(128).i64(openingSequence).i64(openedNs).text(client);
            if (!numbers.isEmpty()) {
                numbers.encode(out);
            }
            return out.toBytes();
        }
    }
}
