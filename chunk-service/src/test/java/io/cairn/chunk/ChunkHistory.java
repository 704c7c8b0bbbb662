package io.cairn.chunk;

import io.cairn.chunk.peer.Futures;
import io.cairn.testkit.simulated.Simulation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The writes of one writer to one chunk, and the bytes that a reader may see. Every acknowledged
 * write is there. Of the one under way (or given up) there is all of its range or nothing, and
 * never the old bytes again once the new ones were seen.
 */
final class ChunkHistory {
    private static final int SIZE = 96 << 10;

    private final Simulation simulation;
    private final ChunkClient client;
    final int group;
    final long oid;
    private final byte[] sure = new byte[SIZE];
    private final List<Attempt> open = new ArrayList<>();
    private final List<Attempt> done = new ArrayList<>();
    private long nextValue;

    /** A write that was not acknowledged (yet). */
    static final class Attempt {
        final int offset;
        final byte[] data;
        boolean seen;

        Attempt(int offset, byte[] data) {
            this.offset = offset;
            this.data = data;
        }
    }

    ChunkHistory(Simulation simulation, ChunkClient client, int group, long oid) {
        this.simulation = simulation;
        this.client = client;
        this.group = group;
        this.oid = oid;
    }

    int acknowledged() {
        return done.size();
    }

    boolean isIdle() {
        return open.isEmpty();
    }

    /**
     * Writes something somewhere, and sometimes flushes; done when it was acknowledged or failed.
     */
    CompletableFuture<Void> step() {
        int offset = simulation.random().nextInt(SIZE - 1);
        int length = 1 + simulation.random().nextInt(Math.min(SIZE - offset, 40_000));
        byte[] data = new byte[length];
        Arrays.fill(data, (byte) (1 + nextValue++ % 127));
        Attempt attempt = new Attempt(offset, data);
        open.add(attempt);
        boolean flushes = simulation.happens(0.2);
        return client.write(group, oid, 0, offset, data)
                .thenCompose(
                        reply -> {
                            open.remove(attempt);
                            System.arraycopy(data, 0, sure, offset, length);
                            done.add(attempt);
                            return flushes
                                    ? client.flush(group, oid, 0).thenAccept(r -> {})
                                    : Futures.DONE;
                        });
    }

    /** Checks what a read at some time between a snapshot and now returned. */
    void check(byte[] bytes, String where, Snapshot before) {
        for (int i = 0; i < SIZE; i++) {
            byte seen = bytes[i];
            if (seen != sure[i] && seen != before.sure[i] && !isOpen(i, seen, before)) {
                throw new AssertionError(
                        "seed "
                                + simulation.seed()
                                + ": "
                                + where
                                + " has "
                                + seen
                                + " at "
                                + i
                                + " of "
                                + oid
                                + " instead of "
                                + sure[i]
                                + " (before: "
                                + before.sure[i]
                                + ")");
            }
        }
        for (Attempt attempt : open) {
            if (before.seen.contains(attempt)) {
                for (int i = 0; i < attempt.data.length; i++) {
                    if (bytes[attempt.offset + i] != attempt.data[i]) {
                        throw new AssertionError(
                                "seed "
                                        + simulation.seed()
                                        + ": "
                                        + where
                                        + " no longer has a write of "
                                        + oid
                                        + " that was read before");
                    }
                }
            } else if (before.open.contains(attempt)) {
                attempt.seen |= has(bytes, attempt);
            }
        }
    }

    private static boolean has(byte[] bytes, Attempt attempt) {
        return Arrays.equals(
                bytes,
                attempt.offset,
                attempt.offset + attempt.data.length,
                attempt.data,
                0,
                attempt.data.length);
    }

    private boolean isOpen(int at, byte value, Snapshot before) {
        List<Attempt> meanwhile = done.subList(before.done, done.size());
        return holds(open, at, value)
                || holds(before.open, at, value)
                || holds(meanwhile, at, value);
    }

    private static boolean holds(List<Attempt> attempts, int at, byte value) {
        for (Attempt attempt : attempts) {
            int i = at - attempt.offset;
            if (i >= 0 && i < attempt.data.length && attempt.data[i] == value) {
                return true;
            }
        }
        return false;
    }

    /**
     * What was true when a read began.
     *
     * @param done how many writes had been acknowledged
     */
    record Snapshot(byte[] sure, List<Attempt> open, List<Attempt> seen, int done) {}

    Snapshot snapshot() {
        return new Snapshot(
                sure.clone(),
                List.copyOf(open),
                open.stream().filter(attempt -> attempt.seen).toList(),
                done.size());
    }

    /** Reads from a server (0: the head, with patience) and checks. */
    CompletableFuture<Void> read(int server) {
        Snapshot before = snapshot();
        CompletableFuture<byte[]> bytes =
                server == 0
                        ? client.read(group, oid, 0, 0, SIZE)
                        : client.readFrom(server, group, oid, 0, SIZE);
        return bytes.thenAccept(b -> check(b, server == 0 ? "the head" : "c" + server, before));
    }
}
