package io.cairn.simulation;

import io.cairn.verify.fault.BlobDamage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Damages files of blobs of servers that are down, and knows what some of them held before. */
final class BlobHarm {
    private static final int CHUNK = 1 << SimulatedCluster.CHUNK_SIZE_LOG2;
    private static final int PAGE = 4096;

    private final Random random;

    /** Contents that files had, by server and path. */
    private final Map<String, ByteBuffer> earlier = new HashMap<>();

    BlobHarm(Random random) {
        this.random = random;
    }

    /** Keeps what a file holds, to be put back later. */
    void remember(SimulatedServer server, Path path) {
        earlier.put(server.node() + path, contents(server, path));
    }

    /**
     * Harms a file.
     *
     * @param other the file of another chunk
     */
    void strike(SimulatedServer server, BlobDamage damage, Path path, Path other) {
        boolean isOfData = damage == BlobDamage.BIT_OF_DATA_FLIPPED;
        BlobDamage.Means means =
                new BlobDamage.Means(
                        CHUNK,
                        isOfData ? random.nextInt(PAGE) : 0,
                        () -> Objects.requireNonNull(former(server, path)).duplicate(),
                        () -> contents(server, other));
        try {
            damage.strike(server.disk(), path, means);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether an earlier file is known that is not what is there now. */
    boolean knowsEarlier(SimulatedServer server, Path path) {
        ByteBuffer former = former(server, path);
        return former != null && !former.equals(contents(server, path));
    }

    /** Whether the data of which a bit may be flipped is on the medium. */
    boolean isStored(SimulatedServer server, Path path) {
        try {
            return server.disk().isStored(path, 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private @Nullable ByteBuffer former(SimulatedServer server, Path path) {
        return earlier.get(server.node() + path);
    }

    private static ByteBuffer contents(SimulatedServer server, Path path) {
        try {
            return BlobDamage.contents(server.disk(), path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
