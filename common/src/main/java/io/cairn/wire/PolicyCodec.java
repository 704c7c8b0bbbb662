package io.cairn.wire;

import io.cairn.cluster.Labels;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Policy;
import io.cairn.cluster.Policy.Compression;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Redundancy;

/** The encodings of policies and pools: both say a compression, labels and a key. */
final class PolicyCodec {
    private PolicyCodec() {}

    /** Where a byte that says something else has the compression, in its two upper bits. */
    private static final int COMPRESSION_SHIFT = 6;

    /** The bit of the same byte that says that labels follow. */
    private static final int HAS_LABELS = 1 << (COMPRESSION_SHIFT - 1);

    private static final int LOWER_BITS = HAS_LABELS - 1;

    /** In place of the size of chunks: that one and the number of a key, or NO_KEY, follow. */
    private static final int HAS_KEY = LOWER_BITS - 1;

    /** The bit of the rule of a pool that says that the number of a key is at the end. */
    private static final int KEYED = HAS_LABELS >> 1;

    static void policy(Encoder out, Policy p) {
        // An impossible size stays impossible.
        int log2 = p.chunkSizeLog2();
        log2 = log2 < 0 || log2 > Layout.MAX_CHUNK_SIZE_LOG2 ? LOWER_BITS : log2;
        int size = p.key() != 0 ? HAS_KEY : log2;
        size |= p.compression().code() << COMPRESSION_SHIFT;
        size |= p.labels().isSaid() ? HAS_LABELS : 0;
        out.u8(CopiesCodec.code(p)).u8(size).i32(p.stripeWidth());
        if (p.labels().isSaid()) {
            out.text(p.labels().text());
        }
        if (p.key() != 0) {
            out.u8(log2).i32(p.key());
        }
    }

    static Policy policy(Decoder in) {
        int copies = in.u8();
        int size = in.u8();
        int stripeWidth = in.i32();
        Labels.Expression labels =
                (size & HAS_LABELS) == 0 ? Labels.Expression.UNSAID : expression(in);
        boolean hasKey = (size & LOWER_BITS) == HAS_KEY;
        return new Policy(
                CopiesCodec.replicas(copies),
                hasKey ? in.u8() : size & LOWER_BITS,
                stripeWidth,
                in.coded(Compression.CODES, size >> COMPRESSION_SHIFT),
                CopiesCodec.inlineBytes(copies),
                labels,
                hasKey ? keyOrNone(in) : 0);
    }

    private static int keyOrNone(Decoder in) {
        int key = in.i32();
        return key == Policy.NO_KEY ? key : possible(key);
    }

    private static int possible(int key) {
        if (key <= 0) {
            throw new MalformedMessageException("impossible key " + key);
        }
        return key;
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
        int key = p.key() > 0 ? KEYED : 0;
        out.i32(p.id()).u8(p.redundancy().kind().code() | compression | labels | key);
        switch (p.redundancy()) {
            case Redundancy.Copies copies -> out.i32(copies.number());
        }
        out.i32(p.firstGroup()).i32(p.groupCount());
        if (labels != 0) {
            out.text(p.labels().text());
        }
        if (key != 0) {
            out.i32(p.key());
        }
    }

    static Pool pool(Decoder in) {
        int id = Codecs.number(in);
        int rule = in.u8();
        Compression compression = in.coded(Compression.CODES, rule >> COMPRESSION_SHIFT).orNone();
        Redundancy redundancy =
                switch (in.coded(Redundancy.Kind.CODES, rule & (KEYED - 1))) {
                    case COPIES -> new Redundancy.Copies(in.i32());
                };
        int firstGroup = in.i32();
        int groupCount = in.i32();
        Labels.Expression labels =
                (rule & HAS_LABELS) == 0 ? Labels.Expression.ANY : expression(in);
        int key = (rule & KEYED) == 0 ? 0 : possible(in.i32());
        Pool.Kind kind = new Pool.Kind(compression, labels, key);
        return new Pool(id, redundancy, firstGroup, groupCount, kind);
    }
}
