package io.cairn.bench;

import io.cairn.wire.Crc32c;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Checksums of 1 MiB, block by block: the price that every written and read byte pays once at the
 * client.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class ChecksumBenchmark {
    private final ByteBuffer direct = random(ByteBuffer.allocateDirect(1 << 20));
    private final ByteBuffer heap = random(ByteBuffer.allocate(1 << 20));

    private static ByteBuffer random(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.capacity()];
        new Random(1).nextBytes(bytes);
        return buffer.put(bytes).flip();
    }

    @Benchmark
    public int[] mebibyteDirect() {
        return Crc32c.ofPieces(direct, 0);
    }

    @Benchmark
    public int[] mebibyteHeap() {
        return Crc32c.ofPieces(heap, 0);
    }
}
