package io.cairn.node.identity;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.net.Answer;
import io.cairn.net.Callee;
import io.cairn.net.Connection;
import io.cairn.net.Message;
import io.cairn.net.Transport;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.ClusterRequest;
import io.cairn.wire.master.MasterRequest;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Asks the leading master for a certificate, wherever it is. Thread-safe. Blocks. */
final class CertificateCall {
    /** How long a call tries, seconds. */
    static final int PATIENCE_S = 30;

    /** After this time others hear that it waits. */
    static final long SILENT_MS = 2_000;

    private static final long CALL_MS = 5_000;
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(200);

    private final Transport transport;
    private final Supplier<List<Endpoint>> masters;
    private final Clock clock;
    private final Introduction introduction;

    /** Makes this process known over a connection, before it asks there. */
    interface Introduction {
        /**
         * Fails with an {@link FsException} when the master does not lead, or refuses it.
         *
         * @param timeoutMs for each request
         */
        CompletableFuture<Void> over(Connection connection, long timeoutMs);
    }

    /**
     * Asks nobody yet.
     *
     * @param masters where the masters are, as far as it is known; never empty
     */
    CertificateCall(Transport transport, Supplier<List<Endpoint>> masters, Clock clock) {
        this(transport, masters, clock, (_, _) -> CompletableFuture.allOf());
    }

    CertificateCall(
            Transport transport,
            Supplier<List<Endpoint>> masters,
            Clock clock,
            Introduction introduction) {
        this.transport = transport;
        this.masters = masters;
        this.clock = clock;
        this.introduction = introduction;
    }

    /** The answer of the leader; fails with its refusal, or the last error when time is over. */
    byte[] ask(ClusterRequest request) {
        return ask(request, PATIENCE_S, () -> {});
    }

    /**
     * The same.
     *
     * @param patienceS how long it tries, seconds
     * @param waits runs once when nobody has answered for {@value #SILENT_MS} milliseconds
     */
    byte[] ask(ClusterRequest request, int patienceS, Runnable waits) {
        long beginNs = clock.nanoTime();
        long endNs = beginNs + TimeUnit.SECONDS.toNanos(patienceS);
        boolean told = false;
        Deque<Endpoint> next = new ArrayDeque<>(masters.get());
        while (true) {
            Endpoint master = next.removeFirst();
            try {
                return ask(master, request);
            } catch (FsException e) {
                if (!isPassing(e) || clock.nanoTime() - endNs > 0) {
                    throw e;
                }
                follow(e, next);
            }
            if (!told && clock.nanoTime() - beginNs > TimeUnit.MILLISECONDS.toNanos(SILENT_MS)) {
                told = true;
                waits.run();
            }
            if (next.isEmpty()) {
                LockSupport.parkNanos(this, PAUSE_NS);
                next.addAll(masters.get());
            }
        }
    }

    /** Whether it may be otherwise soon. A login that has to begin again fails with EAGAIN. */
    static boolean isPassing(FsException error) {
        return error.errno().isTransient() || error.errno() == Errno.EAGAIN;
    }

    private static void follow(FsException error, Deque<Endpoint> next) {
        String named = error.errno() == Errno.NOT_LEADER ? error.getMessage() : null;
        if (named != null && !named.isEmpty()) {
            try {
                next.addFirst(Endpoint.parse(named));
            } catch (IllegalArgumentException e) {
                // It does not know who leads: the others are asked.
            }
        }
    }

    private byte[] ask(Endpoint master, ClusterRequest request) {
        Connection connection =
                await(transport.connect(Callee.master(master), CertificateCall::refuse, CALL_MS));
        try (connection) {
            var _ = await(introduction.over(connection, CALL_MS));
            Message reply =
                    await(
                            connection.call(
                                    Message.of(v -> MasterRequest.cluster(request, v)), CALL_MS));
            byte[] answer = reply.header();
            reply.release();
            return answer;
        }
    }

    private static <T extends @Nullable Object> T await(Future<T> future) {
        try {
            return future.get(3 * CALL_MS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            throw cause instanceof FsException known
                    ? known
                    : new FsException(Errno.EIO, "no certificate: " + cause, e);
        } catch (TimeoutException e) {
            throw new FsException(Errno.ETIMEDOUT, "no answer from a master", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FsException(Errno.EINTR, "interrupted while it asked a master", e);
        }
    }

    private static void refuse(Connection from, Message request, Answer answer) {
        request.release();
        answer.fail(new FsException(Errno.EPROTO, "this connection serves nothing"));
    }
}
