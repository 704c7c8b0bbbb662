package io.cairn.simulation;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.master.ReplicatedLog;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.Outcome;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.metadata.state.Notice;
import io.cairn.testkit.simulated.SimulatedScheduler;
import io.cairn.testkit.simulated.Simulation;
import io.cairn.wire.master.Envelope;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The log of the masters as one of them sees it while it runs: what is submitted is grouped into
 * entries; an entry is durable after a while, then applied, then answered. What a crash finds on
 * its way to the {@link Journal} is there afterwards or is not. The leader may lose its office
 * without a crash: what was under way then fails with NOT_READY and may be applied all the same.
 */
final class SimulatedLog implements ReplicatedLog {
    private static final int MAX_WAITING = 4096;
    private static final int MAX_ENTRY = 64;

    /** What survives: the durable entries, and the terms that were used. */
    static final class Journal {
        private final List<Entry> entries = new ArrayList<>();
        private long lastTerm;

        /** A state that has applied every durable entry. */
        Namespace replay() {
            Namespace namespace = new Namespace(new MemoryStore());
            for (int i = 0; i < entries.size(); i++) {
                namespace.apply(entries.get(i).term, i + 1L, entries.get(i).bytes);
            }
            return namespace;
        }

        /** Number of durable entries. */
        int size() {
            return entries.size();
        }
    }

    private record Entry(long term, byte[] bytes) {}

    private record Pending(byte[] envelope, CompletableFuture<Outcome> reply) {}

    /** How long an entry takes to become durable; may be changed at any time. */
    interface Pace {
        /** In milliseconds, 0 or more. */
        long nextMs();
    }

    private final Simulation simulation;
    private final SimulatedScheduler scheduler;
    private final Journal journal;
    private final Endpoint self;
    private final Pace pace;
    private final Namespace namespace;
    private final Deque<Pending> waiting = new ArrayDeque<>();
    private Consumer<List<Notice>> listener = notices -> {};
    private List<Pending> writing = List.of();
    private byte @Nullable [] entry;
    private long term;
    private boolean leads;
    private boolean crashed;
    private long lastTimeNs;

    /** A master that starts; it leads after {@link #lead}. */
    SimulatedLog(
            Simulation simulation,
            SimulatedScheduler scheduler,
            Journal journal,
            Endpoint self,
            Pace pace) {
        this.simulation = simulation;
        this.scheduler = scheduler;
        this.journal = journal;
        this.self = self;
        this.pace = pace;
        this.namespace = journal.replay();
    }

    Namespace namespace() {
        return namespace;
    }

    /** Who is told the notices of applied entries. */
    void listen(Consumer<List<Notice>> newListener) {
        listener = newListener;
    }

    /** Begins to lead, in a new term. */
    void lead() {
        if (!crashed && !leads) {
            leads = true;
            term = ++journal.lastTerm;
        }
    }

    /** Leads no more: what waits is not logged, what is being written may be. */
    void stepDown() {
        if (crashed || !leads) {
            return;
        }
        leads = false;
        waiting.forEach(each -> fail(each, Errno.NOT_LEADER, ""));
        waiting.clear();
        writing.forEach(each -> fail(each, Errno.NOT_READY, "no majority"));
        writing = List.of();
    }

    private static void fail(Pending pending, Errno errno, String message) {
        pending.reply.completeExceptionally(new FsException(errno, message));
    }

    /** The process ends: nothing is answered any more. */
    void crash() {
        crashed = true;
        leads = false;
        byte[] underWay = entry;
        if (underWay != null && simulation.random().nextBoolean()) {
            journal.entries.add(new Entry(term, underWay));
        }
    }

    @Override
    public CompletableFuture<Outcome> submit(byte[] frame, int offset) {
        if (crashed || !leads) {
            return CompletableFuture.failedFuture(new FsException(Errno.NOT_LEADER, ""));
        }
        if (waiting.size() >= MAX_WAITING) {
            return CompletableFuture.failedFuture(
                    new FsException(Errno.NOT_READY, "too much waits"));
        }
        byte[] envelope = Arrays.copyOfRange(frame, offset, frame.length);
        lastTimeNs = Math.max(lastTimeNs + 1, simulation.wallNs());
        Envelope.stamp(envelope, 0, lastTimeNs);
        Pending pending = new Pending(envelope, new CompletableFuture<>());
        waiting.add(pending);
        writeNext();
        return pending.reply;
    }

    private void writeNext() {
        if (entry != null || waiting.isEmpty()) {
            return;
        }
        List<Pending> batch = new ArrayList<>();
        int length = 0;
        while (!waiting.isEmpty() && batch.size() < MAX_ENTRY) {
            Pending next = waiting.remove();
            batch.add(next);
            length += Integer.BYTES + next.envelope.length;
        }
        ByteBuffer bytes = ByteBuffer.allocate(length);
        batch.forEach(each -> bytes.putInt(each.envelope.length).put(each.envelope));
        writing = batch;
        byte[] written = bytes.array();
        entry = written;
        long writtenIn = term;
        scheduler.schedule(() -> durable(writtenIn, written), pace.nextMs());
    }

    private void durable(long writtenIn, byte[] written) {
        journal.entries.add(new Entry(writtenIn, written));
        Namespace.Applied applied = namespace.apply(writtenIn, journal.entries.size(), written);
        List<Pending> answered = writing;
        writing = List.of();
        entry = null;
        listener.accept(applied.notices());
        for (int i = 0; i < answered.size(); i++) {
            answered.get(i).reply.complete(applied.outcomes().get(i));
        }
        writeNext();
    }

    @Override
    public List<Standing> masters() {
        return List.of();
    }

    @Override
    public long term() {
        return term;
    }

    @Override
    public CompletableFuture<Void> lead(String id) {
        return CompletableFuture.failedFuture(
                new FsException(Errno.EINVAL, "this simulation moves the lead by itself"));
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
        return leads ? self : null;
    }

    @Override
    public void close() {
        stepDown();
    }
}
