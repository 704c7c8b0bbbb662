package io.cairn.master.identity;

import io.cairn.master.identity.Invitation.Holder;
import io.cairn.metadata.cluster.AdminRecord;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import java.util.ArrayList;
import java.util.List;

/**
 * The certificates of a process: a record {@code ca/certificate/ROLE.NAME}.
 *
 * @param certificates those that may be valid still, oldest first
 * @param version of the record; 0 when it is not stored
 */
public record Certified(Holder holder, List<Issued> certificates, long version) {
    static final String PREFIX = "ca/certificate/";

    /** More would be valid at a time than anybody has reason for. */
    private static final int MAX = 256;

    /**
     * A certificate.
     *
     * @param serial its number, hexadecimal
     * @param expiresMs its end, in milliseconds since 1970
     * @param authority fingerprint of the authority that signed it; empty for the first one of a
     *     cluster, when it was signed before authorities could be replaced
     * @param kept whether its holder has said that it has this one
     */
    public record Issued(String serial, long expiresMs, String authority, boolean kept) {}

    /** Takes a copy. */
    public Certified {
        certificates = List.copyOf(certificates);
    }

    static String key(Holder holder) {
        return PREFIX + holder.id();
    }

    /** When the last of them ends, in milliseconds since 1970. */
    public long expiresMs() {
        return certificates.stream().mapToLong(Issued::expiresMs).max().orElse(0);
    }

    /**
     * Whether each valid certificate that its holder may show is of an authority. It shows the last
     * one that it is known to have kept, or one that was signed for it since.
     *
     * @param authority its fingerprint
     */
    boolean isOf(String authority, long nowMs) {
        int first = certificates.size() - 1;
        while (first > 0 && !certificates.get(first).kept) {
            first--;
        }
        return certificates.stream()
                .skip(Math.max(first, 0))
                .allMatch(each -> each.expiresMs < nowMs || each.authority.equals(authority));
    }

    /** Whether a certificate is one of these. */
    boolean has(String serial) {
        return certificates.stream().anyMatch(each -> each.serial.equals(serial));
    }

    /** Whether it has a certificate of which it is not noted that its holder has kept it. */
    boolean lacks(String serial) {
        return certificates.stream().anyMatch(each -> each.serial.equals(serial) && !each.kept);
    }

    /** The same, with a certificate noted as kept. */
    Certified keeping(String serial) {
        List<Issued> all = new ArrayList<>(certificates);
        all.replaceAll(
                each ->
                        each.serial.equals(serial)
                                ? new Issued(serial, each.expiresMs, each.authority, true)
                                : each);
        return new Certified(holder, all, version);
    }

    /** Whether it may have no more now: none is forgotten that could not be revoked then. */
    boolean isFull(long nowMs) {
        return certificates.stream().filter(each -> each.expiresMs >= nowMs).count() >= MAX;
    }

    /** With one more, and without those that have ended. */
    Certified with(Issued fresh, long nowMs) {
        List<Issued> all = new ArrayList<>(certificates);
        all.removeIf(each -> each.expiresMs < nowMs);
        all.add(fresh);
        return new Certified(holder, all, version);
    }

    byte[] stored() {
        return new Encoder()
                .list(certificates, (out, each) -> out.text(each.serial).i64(each.expiresMs))
                .list(certificates, (out, each) -> out.text(each.authority))
                .list(certificates, (out, each) -> out.bool(each.kept))
                .toBytes();
    }

    static Certified of(AdminRecord record) {
        Decoder in = new Decoder(record.value());
        List<Issued> all =
                new ArrayList<>(in.list(each -> new Issued(each.text(), each.i64(), "", false)));
        if (in.remaining() > 0) {
            List<String> authorities = in.list(Decoder::text);
            List<Boolean> kept = in.remaining() > 0 ? in.list(Decoder::bool) : List.of();
            for (int i = 0; i < all.size(); i++) {
                Issued each = all.get(i);
                boolean has = i < kept.size() && kept.get(i);
                all.set(i, new Issued(each.serial, each.expiresMs, authorities.get(i), has));
            }
        }
        Holder holder = Holder.of(record.key().substring(PREFIX.length()));
        return new Certified(holder, all, record.version());
    }
}
