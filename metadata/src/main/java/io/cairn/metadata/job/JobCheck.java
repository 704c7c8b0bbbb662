package io.cairn.metadata.job;

import io.cairn.metadata.job.JobRecord.State;
import io.cairn.metadata.job.JobTotals.Count;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.View;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Checks the tree jobs: numbers, how many there are and run, and that the keys of each are those
 * that its record tells of. The invariant is called J1.
 */
public final class JobCheck {
    /** The counts of one job. */
    private static final class Parts {
        private int frames;
        private long errors;
        private long remembered;
    }

    private final View view;
    private final Consumer<String> violated;
    private final Map<Long, JobRecord> records = new TreeMap<>();
    private final Map<Long, Parts> parts = new TreeMap<>();

    public JobCheck(View view, Consumer<String> violated) {
        this.view = view;
        this.violated = violated;
    }

    public void check() {
        view.each(Family.JOB, this::count);
        byte[] next = view.get(Family.META, Keys.jobs());
        long nextJob = next == null ? 1 : Keys.open(Family.META, next).i64();
        records.values().forEach(record -> checkRecord(record, nextJob));
        parts.keySet().stream()
                .filter(job -> !records.containsKey(job))
                .forEach(job -> violated.accept("J1 job " + job + " left something behind"));
        checkNumbers(records.values());
    }

    private void count(byte[] key, byte[] value) {
        long job = Keys.numberAt(key, 0);
        if (Keys.isJob(key)) {
            records.put(job, JobRecord.decode(key, value));
            return;
        }
        Parts of = parts.computeIfAbsent(job, _ -> new Parts());
        long number = Keys.numberAt(key, 9);
        if (Keys.isJobFrame(key)) {
            if (number != of.frames++) {
                violated.accept("J1 job " + job + " has lost its place before depth " + number);
            }
            JobStack.Frame.decode(value);
        } else if (Keys.isJobError(key)) {
            if (number != of.errors++) {
                violated.accept("J1 job " + job + " has lost an error before " + number);
            }
            JobError.decode(value);
        } else {
            of.remembered++;
        }
    }

    private void checkRecord(JobRecord record, long nextJob) {
        String what = "J1 job " + record.job();
        Parts of = parts.getOrDefault(record.job(), new Parts());
        JobTotals totals = record.totals();
        if (record.job() < 1 || record.job() >= nextJob) {
            violated.accept(what + " has a number that was never given");
        }
        if (of.frames != record.depth()) {
            violated.accept(what + " is at depth " + record.depth() + ", directories " + of.frames);
        }
        if (of.errors != Math.min(totals.get(Count.ERRORS), TreeWalk.MAX_ERRORS)) {
            violated.accept(what + " tells of " + of.errors + " errors: " + totals);
        }
        if (of.remembered != totals.get(Count.REMEMBERED)) {
            violated.accept(what + " remembers " + of.remembered + " inodes: " + totals);
        }
        boolean isFinished = record.state().isFinished();
        if (isFinished && record.depth() > 0) {
            violated.accept(what + " has ended and is still in a directory");
        }
        if (isFinished != (record.times().finishedNs() != 0)) {
            violated.accept(what + " is " + record.state() + ", its end: " + record.times());
        }
    }

    private void checkNumbers(Collection<JobRecord> all) {
        long running = all.stream().filter(j -> j.state() == State.RUNNING).count();
        long queued = all.stream().filter(j -> j.state() == State.QUEUED).count();
        long unfinished = all.stream().filter(j -> !j.state().isFinished()).count();
        if (running > JobTable.MAX_RUNNING || (queued > 0 && running < JobTable.MAX_RUNNING)) {
            violated.accept("J1 " + running + " jobs run, " + queued + " wait");
        }
        if (unfinished > JobTable.MAX_UNFINISHED) {
            violated.accept("J1 " + unfinished + " jobs are not finished");
        }
        long swept = all.stream().filter(j -> j.state().isFinished() && j.isSwept()).count();
        if (swept > JobTable.MAX_FINISHED) {
            violated.accept("J1 " + swept + " finished jobs are kept");
        }
    }
}
