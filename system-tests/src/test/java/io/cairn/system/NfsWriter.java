package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.cluster.Endpoint;
import io.cairn.fs.AttributeChange;
import io.cairn.nfs.NfsClient;
import io.cairn.nfs.NfsClient.Handle;
import io.cairn.nfs.NfsError;
import io.cairn.nfs.rpc.Credential;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A client that writes as a kernel does: unstable writes, a commit now and then, and what is not
 * committed is written again when the verifier has changed. Calls that get no answer are repeated,
 * over a new connection, to the gateways in turn. Makes a file beside every 50 blocks, with CREATE
 * EXCLUSIVE, and renames it.
 */
final class NfsWriter implements AutoCloseable {
    private static final int BLOCK_BYTES = 8192;
    private static final int COMMIT_EVERY = 25;
    private static final int FILE_EVERY = 50;
    private static final int JUKEBOX = 10008;
    private static final long PATIENCE_NS = 100_000_000_000L;

    private final List<Integer> ports;
    private final AtomicInteger written = new AtomicInteger();
    private final AtomicInteger resent = new AtomicInteger();
    private final Deque<Integer> uncommitted = new ArrayDeque<>();
    private final List<String> files = new ArrayList<>();
    private final Handle root;
    private final Handle file;
    private final Thread thread;
    private int gateway;
    private int moves;
    private volatile long longestNs;
    private long verifier;
    private @Nullable NfsClient client;
    private volatile @Nullable Throwable failure;
    private volatile boolean finishing;

    NfsWriter(List<Integer> ports) {
        this.ports = ports;
        this.root = ask(c -> c.mount("/"));
        this.file = ask(c -> c.create(root, "written", 0, AttributeChange.NONE)).handle();
        this.thread = Thread.ofPlatform().name("nfs-writer").start(this::run);
    }

    private static byte[] block(int number) {
        byte[] bytes = new byte[BLOCK_BYTES];
        new Random(number).nextBytes(bytes);
        return bytes;
    }

    private void run() {
        try {
            while (!finishing) {
                int number = written.get();
                write(number);
                written.incrementAndGet();
                if (number % COMMIT_EVERY == COMMIT_EVERY - 1) {
                    commit();
                }
                if (number % FILE_EVERY == 0) {
                    makeFile(number);
                }
            }
            commit();
        } catch (RuntimeException | AssertionError e) {
            failure = e;
        }
    }

    private void write(int number) {
        byte[] data = block(number);
        NfsClient.Written done = ask(c -> c.write(file, (long) number * BLOCK_BYTES, data, 0));
        assertEquals(BLOCK_BYTES, done.count());
        uncommitted.add(number);
        seen(done.verifier());
    }

    private void commit() {
        while (!uncommitted.isEmpty()) {
            long now = ask(c -> c.commit(file));
            if (now == verifier) {
                uncommitted.clear();
            } else {
                seen(now);
            }
        }
    }

    /** After a change of the verifier everything that is not committed is written again. */
    private void seen(long now) {
        if (now == verifier) {
            return;
        }
        verifier = now;
        List<Integer> lost = new ArrayList<>(uncommitted);
        uncommitted.clear();
        if (lost.size() > 1) {
            resent.addAndGet(lost.size());
        }
        for (int number : lost) {
            NfsClient.Written done =
                    ask(c -> c.write(file, (long) number * BLOCK_BYTES, block(number), 0));
            uncommitted.add(number);
            seen(done.verifier());
        }
    }

    private void makeFile(int number) {
        String name = "made-" + number;
        ask(c -> c.create(root, name, number + 1L));
        files.add(name);
    }

    private <T> T ask(Function<NfsClient, T> question) {
        long start = System.nanoTime();
        long end = start + PATIENCE_NS;
        while (true) {
            try {
                T answer = question.apply(connected());
                longestNs = Math.max(longestNs, System.nanoTime() - start);
                return answer;
            } catch (NfsError e) {
                if (e.status() != JUKEBOX || System.nanoTime() > end) {
                    throw e;
                }
            } catch (UncheckedIOException e) {
                if (System.nanoTime() > end) {
                    throw e;
                }
                NfsClient broken = client;
                client = null;
                if (broken != null) {
                    broken.close();
                }
                if (ports.size() > 1) {
                    gateway++;
                    moves++;
                }
            }
            Poll.pause();
        }
    }

    private NfsClient connected() {
        NfsClient connected = client;
        if (connected == null) {
            int port = ports.get(gateway % ports.size());
            connected = new NfsClient(new Endpoint("127.0.0.1", port), Credential.sys(0, 0));
            client = connected;
        }
        return connected;
    }

    /** Waits until so many more blocks are written. */
    void awaitProgress(int blocks) {
        int goal = written.get() + blocks;
        Poll.until("block " + goal, 100, () -> failure != null || written.get() >= goal);
        rethrow();
    }

    /** Commits and stops writing. */
    void finish() throws InterruptedException {
        finishing = true;
        thread.join(100_000);
        rethrow();
    }

    private void rethrow() {
        Throwable thrown = failure;
        if (thrown != null) {
            throw new AssertionError("the writer failed", thrown);
        }
    }

    /** Reads everything again. */
    void verify() {
        for (int number = 0; number < written.get(); number++) {
            long offset = (long) number * BLOCK_BYTES;
            assertArrayEquals(
                    block(number),
                    ask(c -> c.read(file, offset, BLOCK_BYTES)).bytes(),
                    "block " + number);
        }
        for (String name : files) {
            ask(c -> c.lookup(root, name));
        }
    }

    int resentBlocks() {
        return resent.get();
    }

    /** The longest that one call had to wait for its answer, all repetitions included. */
    double pauseSeconds() {
        return longestNs / 1e9;
    }

    /** How often another gateway had to be tried. */
    int moves() {
        return moves;
    }

    @Override
    public void close() {
        finishing = true;
        try {
            thread.join(100_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        NfsClient last = client;
        if (last != null) {
            last.close();
        }
    }
}
