package io.cairn.chunk.store;

import static io.cairn.chunk.store.StoreWorld.CHUNK;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/**
 * What a chunk may hold, byte by byte: after a kill the last acknowledged contents or those of the
 * operation that was cut off; after power loss also any contents since the last flush, and that.
 */
final class ChunkModel {
    /** Contents that power loss may bring back; the last one is the current one. */
    private final List<byte[]> history = new ArrayList<>(List.of(new byte[CHUNK]));

    private byte[] attempted = new byte[CHUNK];
    private boolean flushed;

    byte[] current() {
        return history.get(history.size() - 1).clone();
    }

    /** Whether some contents are promised to survive power loss. */
    boolean isFlushed() {
        return flushed;
    }

    /** An operation begins that leads to these contents. */
    void attempt(byte[] contents) {
        attempted = contents;
    }

    /** It was acknowledged. */
    void acknowledge() {
        history.add(attempted);
    }

    /** It was refused. */
    void refuse() {
        attempted = current();
    }

    /** A flush was acknowledged. */
    void flush() {
        byte[] now = current();
        history.clear();
        history.add(now);
        flushed = true;
    }

    /** The chunk is deleted: nothing is promised any more. */
    void unflush() {
        flushed = false;
    }

    /** Nothing acknowledged was lost: each byte is acknowledged or of the operation cut off. */
    void checkKept(byte[] seen, Supplier<String> place) {
        check(List.of(current(), attempted), seen, place);
    }

    /** After a kill: each byte is the acknowledged one or that of the operation cut off. */
    void observeKill(byte[] seen, Supplier<String> place) {
        checkKept(seen, place);
        history.add(seen);
        attempted = seen;
    }

    /** After power loss: each byte is one that was written since the last flush, or that of it. */
    void observePowerLoss(byte[] seen, Supplier<String> place) {
        history.add(attempted);
        check(history, seen, place);
        history.clear();
        history.add(seen);
        attempted = seen;
    }

    /**
     * After power loss spoiled a chunk that was never flushed, and it was deleted: which another
     * power loss may undo.
     */
    void lose() {
        history.add(attempted);
        history.add(new byte[CHUNK]);
        attempted = new byte[CHUNK];
        flushed = false;
    }

    private static void check(List<byte[]> allowed, byte[] seen, Supplier<String> place) {
        if (allowed.stream().anyMatch(contents -> Arrays.equals(contents, seen))) {
            return;
        }
        for (int i = 0; i < CHUNK; i++) {
            if (!isAllowed(allowed, i, seen[i])) {
                fail(place.get() + ": byte " + i + " is " + seen[i] + ", which was never written");
            }
        }
    }

    /** A loop, as it runs for every byte of every chunk after every crash. */
    private static boolean isAllowed(List<byte[]> allowed, int at, byte is) {
        for (byte[] contents : allowed) {
            if (contents[at] == is) {
                return true;
            }
        }
        return false;
    }
}
