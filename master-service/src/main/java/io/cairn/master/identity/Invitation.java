package io.cairn.master.identity;

import io.cairn.metadata.cluster.AdminRecord;
import io.cairn.net.Principal.Role;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;

/**
 * The right of a process to get its first certificate: a record {@code ca/token/ROLE.NAME}.
 *
 * @param holder whose certificate it will be
 * @param sha256 of the secret, hexadecimal
 * @param expiresMs its end, in milliseconds since 1970
 * @param version of the record; 0 when it is not stored
 */
public record Invitation(Holder holder, String sha256, long expiresMs, long version) {
    static final String PREFIX = "ca/token/";

    /** The holder of a certificate, or of the right to one. */
    public record Holder(Role role, String name) {
        /** In keys of records and in the admin API, such as {@code chunk.c5}. */
        public String id() {
            return role.text() + "." + name;
        }

        static Holder of(String id) {
            int dot = id.indexOf('.');
            Role role = dot < 0 ? null : Role.of(id.substring(0, dot));
            if (role == null) {
                throw new IllegalStateException("a record of no role: " + id);
            }
            return new Holder(role, id.substring(dot + 1));
        }
    }

    String key() {
        return PREFIX + holder.id();
    }

    byte[] stored() {
        return new Encoder().text(sha256).i64(expiresMs).toBytes();
    }

    static Invitation of(AdminRecord record) {
        Decoder in = new Decoder(record.value());
        return new Invitation(
                Holder.of(record.key().substring(PREFIX.length())),
                in.text(),
                in.i64(),
                record.version());
    }
}
