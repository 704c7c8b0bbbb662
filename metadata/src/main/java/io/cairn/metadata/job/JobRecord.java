package io.cairn.metadata.job;

import io.cairn.base.CodeTable;
import io.cairn.base.Coded;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store;
import io.cairn.wire.Decoder;
import io.cairn.wire.master.JobOrder;

/**
 * A tree job as it stands in the replicated state. Immutable.
 *
 * @param job its number, from 1
 * @param request the random number of its order
 * @param order what to do
 * @param state where it is
 * @param times when what happened to it
 * @param serial counts what was asked of it: pause, resume, cancel, another pace
 * @param steps counts what it has done
 * @param depth directories that it is in, one in the other
 * @param totals what it has counted
 * @param message why it has failed, or empty
 */
public record JobRecord(
        long job,
        long request,
        JobOrder order,
        State state,
        Times times,
        long serial,
        long steps,
        int depth,
        JobTotals totals,
        String message) {
    /** The states of a job. */
    public enum State implements Coded {
        /** Waits for one that runs to end. */
        QUEUED(0),
        RUNNING(1),
        PAUSED(2),
        /** Went through the whole tree; there may be errors at single names. */
        DONE(3),
        /** Could not do what it was to do; the message tells why. */
        FAILED(4),
        CANCELLED(5);

        /** All by their codes. */
        public static final CodeTable<State> CODES = new CodeTable<>(values());

        private final int code;

        State(int code) {
            this.code = code;
        }

        @Override
        public int code() {
            return code;
        }

        /** Whether nothing will happen any more. */
        public boolean isFinished() {
            return this == DONE || this == FAILED || this == CANCELLED;
        }
    }

    /**
     * When what happened, nanoseconds since the epoch; 0 = not yet.
     *
     * @param orderedNs it was ordered
     * @param startedNs it ran for the first time
     * @param finishedNs it ended
     */
    public record Times(long orderedNs, long startedNs, long finishedNs) {}

    static JobRecord ordered(long job, long request, JobOrder order, long nowNs) {
        return new JobRecord(
                job,
                request,
                order,
                State.QUEUED,
                new Times(nowNs, 0, 0),
                0,
                0,
                0,
                JobTotals.none(),
                "");
    }

    /** The same in another state. */
    public JobRecord in(State next, long nowNs, String why) {
        Times changed =
                new Times(
                        times.orderedNs,
                        next == State.RUNNING && times.startedNs == 0 ? nowNs : times.startedNs,
                        next.isFinished() ? nowNs : 0);
        return new JobRecord(job, request, order, next, changed, serial, steps, depth, totals, why);
    }

    /** The same after something was asked of it. */
    JobRecord asked(JobOrder changed) {
        return new JobRecord(
                job, request, changed, state, times, serial + 1, steps, depth, totals, message);
    }

    /** The same after a step. */
    JobRecord stepped(int newDepth, JobTotals newTotals) {
        return new JobRecord(
                job, request, order, state, times, serial, steps + 1, newDepth, newTotals, message);
    }

    /** The same without its cursor, and with so many inodes less that it remembers. */
    JobRecord swept(long forgotten) {
        JobTotals left = totals.copy();
        left.add(JobTotals.Count.REMEMBERED, -forgotten);
        return new JobRecord(
                job, request, order, state, times, serial, steps + 1, 0, left, message);
    }

    /** Whether nothing of its work is left in the state: neither a cursor nor what it remembers. */
    public boolean isSwept() {
        return depth == 0 && totals.get(JobTotals.Count.REMEMBERED) == 0;
    }

    /** Whether the leader has something to do for it. */
    public boolean needsSteps() {
        return state == State.RUNNING || (state.isFinished() && !isSwept());
    }

    public byte[] encode() {
        var out = Keys.value(512).i64(request).u8(state.code());
        out.i64(times.orderedNs).i64(times.startedNs).i64(times.finishedNs);
        out.i64(serial).i64(steps).i32(depth).text(message);
        totals.encode(out);
        order.encode(out);
        return out.toBytes();
    }

    public static JobRecord decode(byte[] key, byte[] value) {
        Decoder in = Keys.open(Store.Family.JOB, value);
        long request = in.i64();
        State state = in.coded(State.CODES);
        Times times = new Times(in.i64(), in.i64(), in.i64());
        long serial = in.i64();
        long steps = in.i64();
        int depth = in.i32();
        String message = in.text();
        JobTotals totals = JobTotals.decode(in);
        return new JobRecord(
                Keys.numberAt(key, 0),
                request,
                JobOrder.decode(in),
                state,
                times,
                serial,
                steps,
                depth,
                totals,
                message);
    }
}
