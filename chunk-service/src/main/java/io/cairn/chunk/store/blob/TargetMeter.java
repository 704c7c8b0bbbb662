package io.cairn.chunk.store.blob;

import io.cairn.runtime.Clock;
import io.cairn.wire.master.TargetLoad;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts what is done with a target, for its server's heartbeats: two looks at the clock and a few
 * additions for each read and write. Thread-safe.
 */
public final class TargetMeter {
    /** Operations of one kind. */
    private static final class Kind {
        private final LongAdder count = new LongAdder();
        private final LongAdder bytes = new LongAdder();
        private final LongAdder ns = new LongAdder();

        void add(long tookNs, long more) {
            count.increment();
            bytes.add(more);
            ns.add(tookNs);
        }
    }

    private final Clock clock;
    private final long sinceNs;
    private final Kind reads = new Kind();
    private final Kind writes = new Kind();
    private final Kind syncs = new Kind();
    private final LongAdder served = new LongAdder();
    private final LongAdder taken = new LongAdder();
    private final LongAdder errors = new LongAdder();
    private volatile long errorNs;

    /** A meter that begins to count now. */
    public TargetMeter(Clock clock) {
        this.clock = clock;
        sinceNs = clock.nanoTime();
    }

    /** An operation begins: to be given back when it has ended. */
    public long begin() {
        return clock.nanoTime();
    }

    public void read(long beganNs, int bytes) {
        reads.add(clock.nanoTime() - beganNs, bytes);
    }

    public void written(long beganNs, int bytes) {
        writes.add(clock.nanoTime() - beganNs, bytes);
    }

    void synced(long beganNs) {
        syncs.add(clock.nanoTime() - beganNs, 0);
    }

    /** Of what was read, this went to a client. */
    public void served(int bytes) {
        served.add(bytes);
    }

    /** Of what was written, this came from a client. */
    public void taken(int bytes) {
        taken.add(bytes);
    }

    /** The disk failed to read, write or sync, or what it gave back is damaged. */
    void failed() {
        errorNs = clock.nanoTime();
        errors.increment();
    }

    public TargetLoad load() {
        long nowNs = clock.nanoTime();
        long failures = errors.sum();
        return new TargetLoad(
                TimeUnit.NANOSECONDS.toMillis(nowNs - sinceNs),
                served.sum(),
                taken.sum(),
                reads.bytes.sum(),
                writes.bytes.sum(),
                reads.count.sum(),
                writes.count.sum(),
                syncs.count.sum(),
                reads.ns.sum(),
                writes.ns.sum(),
                syncs.ns.sum(),
                failures,
                failures == 0 ? -1 : TimeUnit.NANOSECONDS.toMillis(nowNs - errorNs));
    }
}
