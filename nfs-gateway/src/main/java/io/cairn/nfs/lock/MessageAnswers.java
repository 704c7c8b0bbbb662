package io.cairn.nfs.lock;

import io.cairn.nfs.lock.HostCalls.Callee;
import io.cairn.nfs.lock.HostCalls.NoAnswer;
import io.cairn.nfs.rpc.XdrWriter;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers that are calls to the client. Each is tried once: a client that misses one asks again.
 * When too many are under way, further ones are dropped. Thread-safe; does not block.
 */
final class MessageAnswers {
    private static final Logger LOG = LoggerFactory.getLogger(MessageAnswers.class);
    private static final int MAX_UNDER_WAY = 512;

    private final HostCalls calls;
    private final Executor workers;
    private final Semaphore room = new Semaphore(MAX_UNDER_WAY);

    MessageAnswers(HostCalls calls, Executor workers) {
        this.calls = calls;
        this.workers = workers;
    }

    void send(Callee client, int procedure, Consumer<XdrWriter> results) {
        if (!room.tryAcquire()) {
            LOG.debug("The answer to {} is dropped: {} are under way", client, MAX_UNDER_WAY);
            return;
        }
        try {
            workers.execute(() -> call(client, procedure, results));
        } catch (RejectedExecutionException e) {
            room.release();
        }
    }

    private void call(Callee client, int procedure, Consumer<XdrWriter> results) {
        try {
            calls.call(client, procedure, results);
        } catch (NoAnswer e) {
            LOG.debug("{} does not hear its answer: {}", client, e.getMessage());
        } finally {
            room.release();
        }
    }
}
