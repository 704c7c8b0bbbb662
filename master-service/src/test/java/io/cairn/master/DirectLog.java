package io.cairn.master;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.Outcome;
import io.cairn.metadata.state.Notice;
import io.cairn.wire.master.Envelope;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A replicated log of one master that applies at once. Leadership and time are what the test says.
 */
final class DirectLog implements ReplicatedLog {
    final Namespace namespace;
    Consumer<List<Notice>> listener = notices -> {};
    long term = 1;

    /** Happens between applying a change and answering it. */
    Runnable afterwards = () -> {};

    volatile boolean leads = true;

    /** Whether an operator told it to go on with what it holds, and whether that is done. */
    volatile boolean recovering;

    volatile boolean stateRecovered;

    /** Leads, and yet cannot log anything. */
    volatile boolean refuses;

    /** Logs, and what came of it gets lost. */
    volatile boolean losesAnswers;

    /** Its disk is full. */
    volatile boolean full;

    long nowNs = 1_000_000_000L;
    volatile MasterGroup group = new Alone();
    private long index;

    /** A master without others. */
    private static final class Alone implements MasterGroup {
        @Override
        public List<Standing> masters() {
            Endpoint here = new Endpoint("here", 1);
            return List.of(new Standing("m1", here, here, true, 0, 0, MasterGroup.Share.FULL));
        }

        @Override
        public long term() {
            return 1;
        }

        @Override
        public CompletableFuture<Void> lead(String id) {
            return CompletableFuture.failedFuture(new FsException(Errno.EINVAL, id));
        }
    }

    DirectLog(Namespace namespace) {
        this.namespace = namespace;
    }

    @Override
    public boolean isShortOfRoom() {
        return full;
    }

    /** Tells outside of the lock: who listens may hold a lock in which others submit. */
    @Override
    public CompletableFuture<Outcome> submit(byte[] frame, int offset) {
        if (!leads) {
            return CompletableFuture.failedFuture(new FsException(Errno.NOT_LEADER, ""));
        }
        if (refuses) {
            return CompletableFuture.failedFuture(new FsException(Errno.NOT_READY, "no majority"));
        }
        Namespace.Applied applied = apply(Arrays.copyOfRange(frame, offset, frame.length));
        listener.accept(applied.notices());
        afterwards.run();
        if (losesAnswers) {
            return CompletableFuture.failedFuture(new FsException(Errno.NOT_READY, "no majority"));
        }
        return CompletableFuture.completedFuture(applied.outcomes().get(0));
    }

    private synchronized Namespace.Applied apply(byte[] envelope) {
        Envelope.stamp(envelope, 0, ++nowNs);
        byte[] entry =
                ByteBuffer.allocate(4 + envelope.length)
                        .putInt(envelope.length)
                        .put(envelope)
                        .array();
        return namespace.apply(term, ++index, entry);
    }

    @Override
    public List<Standing> masters() {
        return group.masters();
    }

    @Override
    public long term() {
        return group.term();
    }

    @Override
    public CompletableFuture<Void> lead(String id) {
        return group.lead(id);
    }

    @Override
    public boolean isRecovering() {
        return recovering;
    }

    @Override
    public void stateRecovered() {
        stateRecovered = true;
    }

    @Override
    public boolean mayRead() {
        return leads;
    }

    @Override
    public long leaderTerm() {
        return leads ? term : -1;
    }

    @Override
    public @Nullable Endpoint leader() {
        return leads ? new Endpoint("here", 1) : null;
    }

    @Override
    public void close() {}
}
