package io.cairn.master.raft;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.master.load.SlowMutation;
import io.cairn.master.raft.Group.Operation;
import io.cairn.metadata.Outcome;
import io.cairn.runtime.Clock;
import io.cairn.wire.Limits;
import io.cairn.wire.master.Envelope;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Gathers operations into log entries. An entry costs the same whether it carries one operation or
 * hundreds, so whatever waits while entries are in flight goes into the next one, and so does what
 * comes in the same turn of the caller's event loop. A lone operation goes at the end of that turn,
 * on the caller's thread: there are no timers and no thread in between.
 *
 * <p>Entries are proposed one after the other, in the order in which their operations came, by
 * whoever happens to hold the {@code proposing} flag; the others only leave their operation behind.
 * Thread-safe.
 */
public final class Combiner {
    private static final int MAX_GROUP_OPERATIONS = 256;
    private static final int MAX_GROUP_BYTES = 1 << 20;
    private static final int MAX_WAITING_OPERATIONS = 16 << 10;
    private static final long MAX_WAITING_BYTES = 64 << 20;
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(10);
    private static final int LENGTH_BYTES = 4;

    /** Entries proposed at a time by a master alone. */
    private static final int MAX_IN_FLIGHT_ALONE = 2;

    /**
     * An entry costs a master alone more processor time than an operation in it, and the one before
     * it is soon applied: few operations wait for that.
     */
    private static final int LEAST_BESIDE_ALONE = 8;

    /** On a network more entries are under way before the first comes back. */
    static final int MAX_IN_FLIGHT = 4;

    static final int LEAST_BESIDE = 1;
    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    private final Clock clock;
    private volatile int maxInFlight;
    private volatile int leastBeside;
    private final Executor endOfTurn;
    private final Consumer<Group> proposer;
    private final Runnable proposeTask = this::propose;
    private final AtomicBoolean proposing = new AtomicBoolean();
    private final SlowMutations slow = new SlowMutations(PATIENCE_NS);
    private final Map<Long, Group> inFlight = new ConcurrentHashMap<>();

    // Guarded by waiting.
    private final ArrayDeque<Operation> waiting = new ArrayDeque<>();
    private long waitingBytes;
    private List<Long> answered = new ArrayList<>();
    private List<Long> answeredBefore = List.of();
    private long lastNumber;
    private long lastTimeNs;
    private boolean closed;

    /**
     * A combiner.
     *
     * @param maxInFlight entries proposed and not yet applied, 1 or more
     * @param leastBeside operations that must wait for an entry beside one in flight to be worth
     *     its price, 1 or more
     * @param endOfTurn runs a task when the calling thread has handed in what it has, or at once
     * @param proposer gets the groups in order, one at a time; answers each with {@link #applied},
     *     {@link #appliedByWriter} or {@link #failed}, during the call or later
     */
    public Combiner(
            Clock clock,
            int maxInFlight,
            int leastBeside,
            Executor endOfTurn,
            Consumer<Group> proposer) {
        this.clock = clock;
        this.maxInFlight = maxInFlight;
        this.leastBeside = leastBeside;
        this.endOfTurn = endOfTurn;
        this.proposer = proposer;
    }

    /** Changes how many entries are proposed at a time, and what one more is worth. */
    void setPace(boolean alone) {
        maxInFlight = alone ? MAX_IN_FLIGHT_ALONE : MAX_IN_FLIGHT;
        leastBeside = alone ? LEAST_BESIDE_ALONE : LEAST_BESIDE;
    }

    /**
     * Takes an envelope, from {@code offset} to the end of the frame; see {@code ReplicatedLog}.
     */
    public CompletableFuture<Outcome> submit(byte[] frame, int offset) {
        Operation operation =
                new Operation(
                        frame, offset, new CompletableFuture<>(), clock.nanoTime() + PATIENCE_NS);
        int lengthBytes = operation.lengthBytes();
        if (lengthBytes <= Envelope.HEADER_BYTES || lengthBytes > Limits.MAX_HEADER_BYTES) {
            return CompletableFuture.failedFuture(
                    new FsException(
                            Errno.EPROTO, "a mutation of " + lengthBytes + " bytes is none"));
        }
        synchronized (waiting) {
            if (closed) {
                return CompletableFuture.failedFuture(stopping());
            }
            if (waiting.size() >= MAX_WAITING_OPERATIONS
                    || waitingBytes + lengthBytes > MAX_WAITING_BYTES) {
                return CompletableFuture.failedFuture(
                        new FsException(Errno.NOT_READY, "the master has too much to do"));
            }
            waiting.add(operation);
            waitingBytes += lengthBytes;
        }
        endOfTurn.execute(proposeTask);
        return operation.reply();
    }

    /** Logs bytes that are no envelopes as an entry of their own; nobody waits for them. */
    void submitAlone(byte[] entry) {
        Group group;
        synchronized (waiting) {
            if (closed) {
                return;
            }
            group = new Group(++lastNumber, entry, List.of(), clock.nanoTime());
            inFlight.put(group.number(), group);
        }
        proposer.accept(group);
    }

    /** The group of an entry that this process proposed and that is not answered yet. */
    @Nullable Group inFlight(long number) {
        return inFlight.get(number);
    }

    /**
     * The entries answered before the previous call; those since then Ratis may still be busy with.
     */
    List<Long> answered() {
        synchronized (waiting) {
            List<Long> result = answeredBefore;
            answeredBefore = answered;
            answered = new ArrayList<>();
            return result;
        }
    }

    /** The entry of a group is going to be applied. */
    void applying(Group group) {
        group.markApplying(clock.nanoTime());
    }

    /** The slowest operations of the last minutes. */
    List<SlowMutation> slow() {
        return slow.list(clock.nanoTime());
    }

    private void land(Group group) {
        synchronized (waiting) {
            inFlight.remove(group.number());
            answered.add(group.number());
        }
    }

    /** The group was applied: the log writes on while the callers hear. */
    public void applied(Group group, List<Outcome> replies) {
        land(group);
        slow.applied(group, clock.nanoTime());
        propose();
        group.complete(replies);
    }

    /**
     * The group was applied on the thread that writes the log. That writes on only afterwards, so
     * the callers hear first, and what they send in the meantime goes into the next entry, too.
     */
    void appliedByWriter(Group group, List<Outcome> replies) {
        land(group);
        slow.applied(group, clock.nanoTime());
        group.complete(replies);
        propose();
    }

    /** The group was not logged, or nobody will ever tell. */
    public void failed(Group group, FsException error) {
        land(group);
        group.fail(error);
        propose();
    }

    /** Time in an applied entry: later stamps of this master are greater. */
    public void observe(long timeNs) {
        synchronized (waiting) {
            lastTimeNs = Math.max(lastTimeNs, timeNs);
        }
    }

    /** Operations that wait for the next entry. */
    int waiting() {
        synchronized (waiting) {
            return waiting.size();
        }
    }

    /** Entries that were proposed and are not applied yet. */
    int flying() {
        return inFlight.size();
    }

    /** Tells the callers that have waited too long; to be called a few times a second. */
    public void expire() {
        long nowNs = clock.nanoTime();
        List<Operation> expired = new ArrayList<>();
        synchronized (waiting) {
            while (!waiting.isEmpty() && nowNs - waiting.getFirst().deadlineNs() > 0) {
                Operation operation = waiting.removeFirst();
                waitingBytes -= operation.lengthBytes();
                expired.add(operation);
            }
        }
        FsException error =
                new FsException(Errno.NOT_READY, "no majority of the masters answered in time");
        expired.forEach(operation -> operation.reply().completeExceptionally(error));
        for (Group group : inFlight.values()) {
            if (group.size() > 0 && nowNs - group.deadlineNs() > 0) {
                group.fail(error); // it stays in flight: it may still be applied
            }
        }
    }

    /** Fails all that wait and all that will come. */
    public void close() {
        List<Operation> left;
        synchronized (waiting) {
            closed = true;
            left = new ArrayList<>(waiting);
            waiting.clear();
            waitingBytes = 0;
        }
        FsException error = stopping();
        left.forEach(operation -> operation.reply().completeExceptionally(error));
        inFlight.values().forEach(group -> group.fail(error));
    }

    private void propose() {
        do {
            if (!proposing.compareAndSet(false, true)) {
                return; // whoever proposes looks again afterwards
            }
            try {
                Group group = next();
                while (group != null) {
                    proposer.accept(group);
                    group = next();
                }
            } finally {
                proposing.set(false);
            }
        } while (mayPropose());
    }

    private boolean mayPropose() {
        synchronized (waiting) {
            int flying = inFlight.size();
            return flying == 0
                    ? !waiting.isEmpty()
                    : flying < maxInFlight && waiting.size() >= leastBeside;
        }
    }

    private @Nullable Group next() {
        synchronized (waiting) {
            if (!mayPropose()) {
                return null;
            }
            int lengthBytes = 0;
            List<Operation> operations = new ArrayList<>(Math.min(waiting.size(), 16));
            do {
                Operation operation = waiting.removeFirst();
                waitingBytes -= operation.lengthBytes();
                lengthBytes += LENGTH_BYTES + operation.lengthBytes();
                operations.add(operation);
            } while (!waiting.isEmpty()
                    && operations.size() < MAX_GROUP_OPERATIONS
                    && lengthBytes + LENGTH_BYTES + waiting.getFirst().lengthBytes()
                            <= MAX_GROUP_BYTES);
            lastTimeNs = Math.max(lastTimeNs, clock.wallNs() - 1);
            byte[] entry = new byte[lengthBytes];
            int at = 0;
            for (Operation operation : operations) {
                int length = operation.lengthBytes();
                INT.set(entry, at, length);
                at += LENGTH_BYTES;
                System.arraycopy(operation.frame(), operation.offset(), entry, at, length);
                Envelope.stamp(entry, at, ++lastTimeNs);
                at += length;
            }
            Group group = new Group(++lastNumber, entry, operations, clock.nanoTime());
            inFlight.put(group.number(), group);
            return group;
        }
    }

    /** The greatest time in an entry. */
    public static long timeOf(byte[] entry) {
        long timeNs = 0;
        for (int at = 0; at + LENGTH_BYTES < entry.length; ) {
            int length = (int) INT.get(entry, at);
            at += LENGTH_BYTES;
            timeNs = Math.max(timeNs, Envelope.timeOf(entry, at));
            at += length;
        }
        return timeNs;
    }

    private static FsException stopping() {
        return new FsException(Errno.NOT_READY, "the master is stopping");
    }
}
