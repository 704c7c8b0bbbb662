package io.cairn.chunk.store.pack;

import io.airlift.compress.v3.Compressor;
import io.airlift.compress.v3.Decompressor;
import io.airlift.compress.v3.lz4.Lz4JavaCompressor;
import io.airlift.compress.v3.lz4.Lz4JavaDecompressor;
import io.airlift.compress.v3.zstd.ZstdJavaCompressor;
import io.airlift.compress.v3.zstd.ZstdJavaDecompressor;
import io.cairn.base.CodeTable;
import io.cairn.base.Coded;
import io.cairn.cluster.Policy.Compression;
import org.jspecify.annotations.Nullable;

/**
 * Ways to make the data of a blob smaller. The codes are in files. Thread-safe; what it makes is
 * for one thread at a time.
 */
public enum Codec implements Coded {
    /** Fast, and takes about half of the room for text. */
    LZ4(1) {
        @Override
        Compressor compressor() {
            return new Lz4JavaCompressor();
        }

        @Override
        Decompressor decompressor() {
            return new Lz4JavaDecompressor();
        }
    },

    /** Slower, and takes about a third of the room for text. */
    ZSTD(2) {
        @Override
        Compressor compressor() {
            return new ZstdJavaCompressor();
        }

        @Override
        Decompressor decompressor() {
            return new ZstdJavaDecompressor();
        }
    };

    /** All by their codes. */
    static final CodeTable<Codec> CODES = new CodeTable<>(values());

    private final int code;

    Codec(int code) {
        this.code = code;
    }

    @Override
    public int code() {
        return code;
    }

    /** The one that a pool asks for; null when its chunks are kept as they were written. */
    public static @Nullable Codec of(Compression compression) {
        return switch (compression) {
            case LZ4 -> LZ4;
            case ZSTD -> ZSTD;
            case NONE, UNSAID -> null;
        };
    }

    abstract Compressor compressor();

    abstract Decompressor decompressor();
}
