package io.cairn.metadata.job;

import io.cairn.fs.Name;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.View;
import java.util.ArrayList;
import java.util.List;

/** Queries about tree jobs. Pure functions. */
public final class JobQueries {
    private JobQueries() {}

    public static List<JobError> errors(View view, long job) {
        List<JobError> errors = new ArrayList<>();
        byte[] prefix = Keys.jobErrors(job);
        view.scan(Family.JOB, prefix, prefix, (key, value) -> errors.add(JobError.decode(value)));
        return errors;
    }

    public static byte[] path(View view, long job, byte[] root) {
        List<Name> names = new ArrayList<>();
        byte[] prefix = Keys.jobFrames(job);
        view.scan(
                Family.JOB,
                prefix,
                prefix,
                (key, value) -> {
                    Name name = JobStack.Frame.decode(value).name;
                    return name == null || names.add(name);
                });
        return JobError.join(root, names, TreeWalk.MAX_PATH_BYTES);
    }
}
