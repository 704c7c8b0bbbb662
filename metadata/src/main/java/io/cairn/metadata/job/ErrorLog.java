package io.cairn.metadata.job;

import io.cairn.base.FsException;
import io.cairn.fs.Name;
import io.cairn.metadata.job.JobTotals.Count;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Transaction;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Notes what fails in a step of a job, where the job is just then. Lives within one step. */
final class ErrorLog {
    private final Transaction transaction;
    private final JobRecord record;
    private final JobStack stack;
    private final JobTotals totals;

    ErrorLog(Transaction transaction, JobRecord record, JobStack stack, JobTotals totals) {
        this.transaction = transaction;
        this.record = record;
        this.stack = stack;
        this.totals = totals;
    }

    /** Counts an error, and keeps it when it is one of the first; null = the directory itself. */
    void add(@Nullable Name name, FsException e) {
        long number = totals.get(Count.ERRORS);
        totals.add(Count.ERRORS, 1);
        if (number < TreeWalk.MAX_ERRORS) {
            JobError error = new JobError(path(name), e.errno(), String.valueOf(e.getMessage()));
            byte[] key = Keys.jobError(record.job(), number);
            transaction.records().put(Family.JOB, key, error.encode());
        }
    }

    private byte[] path(@Nullable Name last) {
        List<Name> names = new ArrayList<>(stack.names());
        if (last != null) {
            names.add(last);
        }
        return JobError.join(record.order().path(), names, TreeWalk.MAX_PATH_BYTES);
    }
}
