package io.cairn.bench;

import io.cairn.chunk.store.StorageTarget;
import io.cairn.chunk.store.StoreSettings;
import io.cairn.chunk.store.seal.Keyring;
import io.cairn.runtime.Clock;
import io.cairn.runtime.FileDisk;
import io.cairn.seal.MasterKey;
import io.cairn.wire.Crc32c;
import io.cairn.wire.chunk.ChunkAddress;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
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
 * A chunk server's disk: writing and reading 1 MiB of a blob, and a new blob of 4 KiB, each plain
 * and encrypted. Data in /dev/shm.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@SuppressWarnings("NullAway.Init") // JMH calls the setup before anything else.
public class BlobBenchmark {
    private static final int MEBIBYTE = 1 << 20;
    private static final int CHUNK_LOG2 = 22;
    private static final int SMALL_BLOBS = 20_000;

    @Param({"false", "true"})
    public boolean encrypted;

    private final ByteBuffer large = random(MEBIBYTE);
    private final int[] largeCrcs = Crc32c.ofPieces(large, 0);
    private final ByteBuffer small = random(4096);
    private final int[] smallCrcs = Crc32c.ofPieces(small, 0);
    private Path directory = Path.of("");

    /** As a server has it: from a pool. */
    private final ByteBuffer answer = ByteBuffer.allocateDirect(MEBIBYTE);

    private StorageTarget target;
    private long sequence;
    private long oid = 100;

    private static ByteBuffer random(int bytes) {
        byte[] array = new byte[bytes];
        new Random(1).nextBytes(array);
        return ByteBuffer.allocateDirect(bytes).put(array).flip();
    }

    @Setup
    public void open() throws IOException {
        directory = Scratch.create();
        target =
                StorageTarget.open(
                        new FileDisk(),
                        directory.resolve("t"),
                        StoreSettings.standard(new Random(1), Clock.system()).withKeys(keys()));
        target.adoptCluster(1);
        for (int i = 0; i < 4; i++) {
            write(address(1), i * MEBIBYTE, large, largeCrcs);
        }
    }

    private Keyring keys() {
        if (!encrypted) {
            return new Keyring(null);
        }
        MasterKey master = new MasterKey(new byte[MasterKey.KEY_BYTES]);
        Keyring ring = new Keyring(master);
        ring.learn(List.of(master.wrap(1, new byte[MasterKey.KEY_BYTES], new Random(1))));
        ring.placeBy(_ -> 1);
        return ring;
    }

    @TearDown
    public void close() throws IOException {
        target.close();
        Scratch.delete(directory);
    }

    private static ChunkAddress address(long oid) {
        return new ChunkAddress(1, 1, oid, 0, CHUNK_LOG2);
    }

    private int write(ChunkAddress chunk, int offset, ByteBuffer bytes, int[] crcs) {
        return target.write(
                chunk, ++sequence, target.align(chunk, offset, bytes.duplicate(), crcs));
    }

    @Benchmark
    public int writeMebibyte() {
        return write(address(1), (int) (sequence & 3) * MEBIBYTE, large, largeCrcs);
    }

    @Benchmark
    public Object readMebibyte() {
        return target.read(address(1), (int) (++oid & 3) * MEBIBYTE, MEBIBYTE, _ -> answer.clear());
    }

    @Benchmark
    public int createSmallBlob() {
        long next = ++oid;
        if (next > SMALL_BLOBS) {
            target.delete(1, next - SMALL_BLOBS, 0);
        }
        return write(address(next), 0, small, smallCrcs);
    }
}
