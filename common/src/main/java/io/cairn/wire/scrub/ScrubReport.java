package io.cairn.wire.scrub;

import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import java.util.List;

/**
 * How far a target has verified its blobs, and what was wrong. Counters are those of the process.
 *
 * @param verifiedAgoMs every blob was verified since then, or written; below 0: never
 * @param passAgoMs since when the pass goes that is under way, or is over
 * @param doneBlobs blobs verified in this pass
 * @param totalBlobs blobs there are
 * @param done whether the pass is over
 * @param order the order that this pass follows; 0 for none
 * @param readBytes what was read for it since the process began to count
 * @param verifiedBlobs blobs that were verified since then
 * @param found blobs found damaged since then
 * @param mended of those, how many were replaced by a good copy
 * @param quarantined bad files that are kept aside on the disk
 * @param findings the last ones, the oldest first
 */
public record ScrubReport(
        long verifiedAgoMs,
        long passAgoMs,
        long doneBlobs,
        long totalBlobs,
        boolean done,
        long order,
        long readBytes,
        long verifiedBlobs,
        long found,
        long mended,
        int quarantined,
        List<Finding> findings) {
    /** Of a target of which nothing is known. */
    public static final ScrubReport NONE =
            new ScrubReport(-1, 0, 0, 0, false, 0, 0, 0, 0, 0, 0, List.of());

    /**
     * A damaged blob and what became of it.
     *
     * @param number from 1, without gaps in one process
     * @param mended whether a good copy has taken its place; else none was found so far
     * @param reason what was wrong with it
     */
    public record Finding(
            long number, int group, long oid, long index, boolean mended, String reason) {
        void encode(Encoder out) {
            out.i64(number).i32(group).i64(oid).i64(index).bool(mended).text(reason);
        }

        static Finding decode(Decoder in) {
            return new Finding(in.i64(), in.i32(), in.i64(), in.i64(), in.bool(), in.text());
        }
    }

    /**
     * How chunk servers verify: the settings of the cluster.
     *
     * @param periodMs each blob is verified once in this time
     * @param sharePercent the share of a disk's time that it may take, 1 to 100
     * @param orders what operators want verified now
     */
    public record Orders(long periodMs, int sharePercent, List<Order> orders) {
        /** A week, a fifth of the disk, nothing at once. */
        public static final Orders STANDARD = new Orders(7L * 24 * 3_600_000, 20, List.of());

        /** Writes the fields. */
        public void encode(Encoder out) {
            out.i64(periodMs).i32(sharePercent).list(orders, (o, order) -> order.encode(o));
        }

        /** Reads the fields. */
        public static Orders decode(Decoder in) {
            return new Orders(in.i64(), in.i32(), in.list(Order::decode));
        }
    }

    /**
     * All of a target is to be verified at once.
     *
     * @param target identity of the target
     * @param number another one for each order, not 0
     */
    public record Order(long target, long number) {
        void encode(Encoder out) {
            out.i64(target).i64(number);
        }

        static Order decode(Decoder in) {
            return new Order(in.i64(), in.i64());
        }
    }

    /** Writes the fields. */
    public void encode(Encoder out) {
        out.i64(verifiedAgoMs).i64(passAgoMs).i64(doneBlobs).i64(totalBlobs).bool(done).i64(order);
        out.i64(readBytes).i64(verifiedBlobs).i64(found).i64(mended).i32(quarantined);
        out.list(findings, (o, finding) -> finding.encode(o));
    }

    /** Reads the fields. */
    public static ScrubReport decode(Decoder in) {
        return new ScrubReport(
                in.i64(),
                in.i64(),
                in.i64(),
                in.i64(),
                in.bool(),
                in.i64(),
                in.i64(),
                in.i64(),
                in.i64(),
                in.i64(),
                in.i32(),
                in.list(Finding::decode));
    }
}
