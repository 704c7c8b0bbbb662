package io.cairn.metadata.cluster;

import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.wire.Decoder;

/**
 * A record of the administration: a token, a setting, an entry of the audit log, a job.
 *
 * @param key its name
 * @param version which change made it: no other change has the same, and later ones have more
 * @param value what it holds
 */
public record AdminRecord(String key, long version, byte[] value) {
    public static AdminRecord decode(byte[] key, byte[] value) {
        Decoder in = Keys.open(Family.META, value);
        return new AdminRecord(Keys.recordOf(key), in.i64(), in.raw(in.remaining()));
    }
}
