package io.cairn.bench;

import io.cairn.chunk.store.StorageTarget;
import io.cairn.chunk.store.StoreSettings;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.pack.Codec;
import io.cairn.runtime.Clock;
import io.cairn.runtime.FileDisk;
import io.cairn.wire.Crc32c;
import io.cairn.wire.chunk.ChunkAddress;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A packed blob of 4 MiB of text: reading 1 MiB and 4 KiB of it, and changing 4 KiB, which makes it
 * plain, followed by packing it anew. Data in /dev/shm.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@SuppressWarnings("NullAway.Init") // JMH calls the setup before anything else.
public class PackedBlobBenchmark {
    private static final int MEBIBYTE = 1 << 20;
    private static final int CHUNK_LOG2 = 22;
    private static final int WORDS = 2000;
    private static final ChunkAddress CHUNK = new ChunkAddress(1, 1, 1, 0, CHUNK_LOG2);

    @Param({"LZ4", "ZSTD"})
    public Codec codec;

    private final Random random = new Random(1);
    private final ByteBuffer small = text(4096);
    private final int[] smallCrcs = Crc32c.ofPieces(small, 0);
    private final ByteBuffer answer = ByteBuffer.allocateDirect(MEBIBYTE);
    private Path directory = Path.of("");
    private StorageTarget target;
    private long sequence;

    /** Words of a vocabulary, as often as in a language: few of them make up the most. */
    private ByteBuffer text(int bytes) {
        ByteBuffer text = ByteBuffer.allocateDirect(bytes);
        while (text.hasRemaining()) {
            double rank = Math.pow(WORDS, random.nextDouble());
            Random word = new Random((long) rank);
            int letters = Math.min(2 + word.nextInt(9), text.remaining());
            for (int i = 0; i < letters - 1; i++) {
                text.put((byte) ('a' + word.nextInt(26)));
            }
            text.put((byte) ' ');
        }
        return text.flip();
    }

    @Setup
    public void open() throws IOException {
        directory = Scratch.create();
        target =
                StorageTarget.open(
                        new FileDisk(),
                        directory.resolve("t"),
                        StoreSettings.standard(new Random(1), Clock.system()));
        target.adoptCluster(1);
        for (int i = 0; i < 4; i++) {
            ByteBuffer large = text(MEBIBYTE);
            write(i * MEBIBYTE, large, Crc32c.ofPieces(large, 0));
        }
        target.verification().pack(BlobKey.of(CHUNK), codec);
    }

    @TearDown
    public void close() throws IOException {
        target.close();
        Scratch.delete(directory);
    }

    private int write(int offset, ByteBuffer bytes, int[] crcs) {
        return target.write(
                CHUNK, ++sequence, target.align(CHUNK, offset, bytes.duplicate(), crcs));
    }

    @Benchmark
    public Object readMebibyte() {
        return target.read(CHUNK, random.nextInt(4) * MEBIBYTE, MEBIBYTE, _ -> answer.clear());
    }

    @Benchmark
    public Object readBlock() {
        return target.read(CHUNK, random.nextInt(1024) * 4096, 4096, _ -> answer.clear());
    }

    @Benchmark
    public boolean changeAndPack() {
        write(random.nextInt(1024) * 4096, small, smallCrcs);
        return target.verification().pack(BlobKey.of(CHUNK), codec);
    }
}
