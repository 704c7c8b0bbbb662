package io.cairn.wire;

import io.cairn.cluster.Labels;
import io.cairn.cluster.Policy;
import io.cairn.cluster.Policy.Compression;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Redundancy;

/** The encodings of policies and pools: both say a compression and labels. */
final class PolicyCodec {
    private PolicyCodec() {}

    /** Where a byte that says something else has the compression, in its two upper bits. */
    private static final int COMPRESSION_SHIFT = 6;

    /** The bit of the same byte that says that labels follow. */
    private static final int HAS_LABELS = 1 << (COMPRESSION_SHIFT - 1);

    private static final int LOWER_BITS = HAS_LABELS - 1;

    static void policy(Encoder out, Policy p) {
        // An impossible size stays impossible.
        int log2 = p.chunkSizeLog2();
        int size = log2 < 0 || log2 > LOWER_BITS ? LOWER_BITS : log2;
        size |= p.compression().code() << COMPRESSION_SHIFT;
        size |= p.labels().isSaid() ? HAS_LABELS : 0;
        out.u8(CopiesCodec.code(p)).u8(size).i32(p.stripeWidth());
        if (p.labels().isSaid()) {
            out.text(p.labels().text());
        }
    }

    static Policy policy(Decoder in) {
        int copies = in.u8();
        int size = in.u8();
        return new Policy(
                CopiesCodec.replicas(copies),
                size & LOWER_BITS,
                in.i32(),
                in.coded(Compression.CODES, size >> COMPRESSION_SHIFT),
                CopiesCodec.inlineBytes(copies),
                (size & HAS_LABELS) == 0 ? Labels.Expression.UNSAID : expression(in));
    }

    private static Labels.Expression expression(Decoder in) {
        try {
            return Labels.Expression.parse(in.text());
        } catch (IllegalArgumentException e) {
            throw new MalformedMessageException(String.valueOf(e.getMessage()));
        }
    }

    static void pool(Encoder out, Pool p) {
        boolean plain = p.compression() == Compression.NONE;
        int compression = plain ? 0 : p.compression().code() << COMPRESSION_SHIFT;
        int labels = p.labels().isAny() ? 0 : HAS_LABELS;
        out.i32(p.id()).u8(p.redundancy().kind().code() | compression | labels);
        switch (p.redundancy()) {
            case Redundancy.Copies copies -> out.i32(copies.number());
        }
        out.i32(p.firstGroup()).i32(p.groupCount());
        if (labels != 0) {
            out.text(p.labels().text());
        }
    }

    static Pool pool(Decoder in) {
        int id = Codecs.number(in);
        int rule = in.u8();
        Compression compression = in.coded(Compression.CODES, rule >> COMPRESSION_SHIFT).orNone();
        Redundancy redundancy =
                switch (in.coded(Redundancy.Kind.CODES, rule & LOWER_BITS)) {
                    case COPIES -> new Redundancy.Copies(in.i32());
                };
        int firstGroup = in.i32();
        int groupCount = in.i32();
        Labels.Expression labels =
                (rule & HAS_LABELS) == 0 ? Labels.Expression.ANY : expression(in);
        return new Pool(id, redundancy, firstGroup, groupCount, new Pool.Kind(compression, labels));
    }
}
