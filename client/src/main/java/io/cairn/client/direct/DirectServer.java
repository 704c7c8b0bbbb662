package io.cairn.client.direct;

import io.cairn.runtime.Clock;
import io.cairn.runtime.local.LocalSocket;
import io.cairn.runtime.local.OpenDescriptor;
import io.cairn.runtime.local.SharedWords;
import io.cairn.wire.chunk.DirectRequest;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A chunk server on this machine, as long as its process lives and the connection to its socket
 * does. Thread-safe.
 */
public final class DirectServer implements AutoCloseable {
    private static final long TIMEOUT_MS = 1_000;

    private final LocalSocket socket;
    private final SharedWords words;
    private final long number;
    private final Clock clock;

    /** What the time of the server is behind the time here, at most. */
    private final long behindNs;

    private DirectServer(
            LocalSocket socket, SharedWords words, long number, Clock clock, long behindNs) {
        this.socket = socket;
        this.words = words;
        this.number = number;
        this.clock = clock;
        this.behindNs = behindNs;
    }

    /**
     * Connects. Blocks, for a few seconds at most.
     *
     * @param number of the start of the server
     * @throws IOException when it does not listen there, or this user may not connect
     */
    public static DirectServer connect(Path path, long number, Clock clock) throws IOException {
        LocalSocket socket = LocalSocket.connect(path, TIMEOUT_MS);
        boolean done = false;
        try {
            long askedNs = clock.nanoTime();
            socket.send(DirectRequest.HELLO, number, null);
            LocalSocket.Received answer = socket.receive();
            try (OpenDescriptor memory = answer.file()) {
                if (answer.first() != DirectRequest.DONE || memory == null) {
                    throw new IOException("another server listens at " + path);
                }
                long behindNs = askedNs - answer.second();
                SharedWords words = SharedWords.of(memory);
                done = true;
                return new DirectServer(socket, words, number, clock, behindNs);
            }
        } finally {
            if (!done) {
                socket.close();
            }
        }
    }

    /** Number of the start of the server. */
    public long number() {
        return number;
    }

    /**
     * Gets the open file of a ticket. Blocks, for a few seconds at most.
     *
     * @throws IOException when the server does not give it
     */
    public synchronized OpenDescriptor take(long ticket) throws IOException {
        try {
            socket.send(DirectRequest.TAKE, ticket, null);
            LocalSocket.Received answer = socket.receive();
            OpenDescriptor file = answer.file();
            if (file == null) {
                throw new IOException("the file is not there any more");
            }
            return file;
        } catch (IOException e) {
            // A late answer must not be taken for that of the next question.
            socket.close();
            throw e;
        }
    }

    /** Whether the word can be there. */
    boolean has(int word) {
        return word > DirectRequest.LEASE_WORD && word < words.count();
    }

    /** Whether a word has the value that it had when a chunk was granted. */
    boolean shows(int word, long value) {
        return words.get(word) == value;
    }

    /**
     * Whether the server may answer reads, its process lives, and a word has still its value: then
     * what was read before this call is what the server would have answered during it.
     */
    boolean confirms(int word, long value) {
        long nowNs = clock.nanoTime();
        // In this order: the right is renewed when words of former terms have changed.
        long endNs = words.get(DirectRequest.LEASE_WORD);
        return endNs != DirectRequest.NO_LEASE
                && nowNs - (endNs + behindNs) < 0
                && !socket.hasEnded()
                && shows(word, value);
    }

    /** Whether its process has ended, or the connection to it. */
    public boolean hasEnded() {
        return socket.hasEnded();
    }

    /** Nothing is confirmed any more. Idempotent. */
    @Override
    public void close() {
        socket.close();
    }
}
