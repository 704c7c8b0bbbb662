package io.cairn.client.session;

import io.cairn.client.CairnFileSystem;
import io.cairn.cluster.Endpoint;
import java.util.List;

/**
 * The settings of one client. Immutable; start from {@link #of} and change with the {@code with}
 * methods, which refuse impossible values with an {@code IllegalArgumentException}.
 *
 * @param masters where masters listen, at least one; any of them may lead
 * @param clientName what operators see in the list of sessions, such as {@code host:/mnt 4711}
 * @param requestTimeoutMs how long one operation may take in all, resends included: 30 s
 * @param attemptTimeoutMs how long to wait for one answer before asking elsewhere: 5 s
 * @param connectTimeoutMs how long {@link CairnFileSystem#connect} tries to find a master: 10 s
 * @param attributeTtlMs how long attributes and names are believed; 0 turns caching off: 1 s
 * @param bufferBytes buffers for written and read-ahead data, together: 64 MiB
 * @param readAheadBytes largest window read ahead of one sequential reader; 0 = none: 16 MiB
 * @param writeBackDelayMs written data goes out and is committed at the latest after this: 1 s
 * @param shareFromBytes a copy of so many bytes within the mount shares chunks: 64 MiB
 */
public record ClientSettings(
        List<Endpoint> masters,
        String clientName,
        long requestTimeoutMs,
        long attemptTimeoutMs,
        long connectTimeoutMs,
        long attributeTtlMs,
        long bufferBytes,
        int readAheadBytes,
        long writeBackDelayMs,
        long shareFromBytes) {
    /** Smallest buffer limit: room for a few writes of the largest size. */
    static final long MIN_BUFFER_BYTES = 8L << 20;

    /** The standard settings for a cluster. */
    public static ClientSettings of(List<Endpoint> masters, String clientName) {
        if (masters.isEmpty()) {
            throw new IllegalArgumentException("at least one master HOST:PORT is needed");
        }
        return new ClientSettings(
                List.copyOf(masters),
                clientName,
                30_000,
                5_000,
                10_000,
                1_000,
                64L << 20,
                16 << 20,
                1_000,
                64L << 20);
    }

    /** The same with another time limit for one operation, above 0. */
    public ClientSettings withRequestTimeoutMs(long timeoutMs) {
        atLeast(1, timeoutMs, "requestTimeoutMs");
        return times(
                timeoutMs,
                Math.min(attemptTimeoutMs, timeoutMs),
                connectTimeoutMs,
                attributeTtlMs,
                writeBackDelayMs);
    }

    /** The same with another time limit for one attempt, above 0. */
    public ClientSettings withAttemptTimeoutMs(long timeoutMs) {
        atLeast(1, timeoutMs, "attemptTimeoutMs");
        return times(
                requestTimeoutMs, timeoutMs, connectTimeoutMs, attributeTtlMs, writeBackDelayMs);
    }

    /** The same with another time limit for the first connection, above 0. */
    public ClientSettings withConnectTimeoutMs(long timeoutMs) {
        atLeast(1, timeoutMs, "connectTimeoutMs");
        return times(
                requestTimeoutMs, attemptTimeoutMs, timeoutMs, attributeTtlMs, writeBackDelayMs);
    }

    /** The same with another life of cached attributes and names, 0 or more. */
    public ClientSettings withAttributeTtlMs(long ttlMs) {
        atLeast(0, ttlMs, "attributeTtlMs");
        return times(requestTimeoutMs, attemptTimeoutMs, connectTimeoutMs, ttlMs, writeBackDelayMs);
    }

    /** The same with other limits of memory: buffers of 8 MiB or more, read-ahead of 0 or more. */
    public ClientSettings withBuffers(long newBufferBytes, int newReadAheadBytes) {
        atLeast(MIN_BUFFER_BYTES, newBufferBytes, "bufferBytes");
        atLeast(0, newReadAheadBytes, "readAheadBytes");
        return new ClientSettings(
                masters,
                clientName,
                requestTimeoutMs,
                attemptTimeoutMs,
                connectTimeoutMs,
                attributeTtlMs,
                newBufferBytes,
                newReadAheadBytes,
                writeBackDelayMs,
                shareFromBytes);
    }

    /** The same with another delay of write-back, above 0. */
    public ClientSettings withWriteBackDelayMs(long delayMs) {
        atLeast(1, delayMs, "writeBackDelayMs");
        return times(requestTimeoutMs, attemptTimeoutMs, connectTimeoutMs, attributeTtlMs, delayMs);
    }

    /** The same with another least size of copies that share chunks, above 0. */
    public ClientSettings withShareFromBytes(long bytes) {
        atLeast(1, bytes, "shareFromBytes");
        return new ClientSettings(
                masters,
                clientName,
                requestTimeoutMs,
                attemptTimeoutMs,
                connectTimeoutMs,
                attributeTtlMs,
                bufferBytes,
                readAheadBytes,
                writeBackDelayMs,
                bytes);
    }

    private ClientSettings times(
            long request, long attempt, long connect, long attributeTtl, long writeBackDelay) {
        return new ClientSettings(
                masters,
                clientName,
                request,
                attempt,
                connect,
                attributeTtl,
                bufferBytes,
                readAheadBytes,
                writeBackDelay,
                shareFromBytes);
    }

    private static void atLeast(long least, long value, String name) {
        if (value < least) {
            throw new IllegalArgumentException(
                    name + " must be " + least + " or more, not " + value);
        }
    }
}
