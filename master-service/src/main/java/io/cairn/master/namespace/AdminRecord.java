package io.cairn.master.namespace;

import io.cairn.master.namespace.Store.Family;
import io.cairn.wire.Decoder;

/**
 * A record of the administration: a token, a setting, an entry of the audit log, a job.
 *
 * @param key its name
 * @param version which change made it: no other change has the same, and later ones have more
 * @param value what it holds
 */
public record AdminRecord(String key, long version, byte[] value) {
    static AdminRecord decode(byte[] key, byte[] value) {
        Decoder in = Keys.open(Family.META, value);
        return new AdminRecord(Keys.recordOf(key), in.i64(), in.raw(in.remaining()));
    }
}
