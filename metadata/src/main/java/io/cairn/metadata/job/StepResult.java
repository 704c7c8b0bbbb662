package io.cairn.metadata.job;

import io.cairn.metadata.job.JobRecord.State;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The result of a step of a job, filled while it runs. Lives within the step. */
final class StepResult {
    private final JobTotals totals;
    private final Set<Long> changed = new LinkedHashSet<>();
    private @Nullable State state;
    private String why = "";

    StepResult(JobRecord before) {
        totals = before.totals().copy();
    }

    /** The counts of the job. */
    JobTotals totals() {
        return totals;
    }

    /** The job has ended; the message is empty when there is nothing to tell. */
    void end(State end, String message) {
        state = end;
        why = message;
    }

    /** How the job has ended, or null when it has not. */
    @Nullable State end() {
        return state;
    }

    /** Why it has ended, or empty. */
    String message() {
        return why;
    }

    /** Names in a directory were changed. */
    void changed(long directoryIno) {
        changed.add(directoryIno);
    }

    /** Directories whose names were changed. */
    long[] changedDirectories() {
        return changed.stream().mapToLong(Long::longValue).toArray();
    }
}
