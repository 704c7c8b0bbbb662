package io.cairn.simulation;

import io.cairn.base.Errno;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.metadata.job.JobRecord;
import io.cairn.metadata.job.JobTotals.Count;
import io.cairn.simulation.Call.Outcome;
import io.cairn.wire.master.JobOrder;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What jobs have promised: of their trees all names are gone, or belong to somebody else, and of
 * everything beside them nothing.
 */
final class JobCheck {
    private final Oracle oracle;
    private final Call call;

    JobCheck(Oracle oracle, Call call) {
        this.oracle = oracle;
        this.call = call;
    }

    /** Looks at a tree and its neighbours through a mount. */
    void look(FileSystem fs, JobModel model) {
        Outcome<Map<String, Long>> kept =
                call.ask("list " + model.keepName, () -> inos(fs, model.keepIno()));
        if (!kept.isDone()) {
            violate(model, model.keepName + " cannot be listed: " + kept.errno());
            return;
        }
        String mismatch = model.mismatchOfKept(kept.get());
        if (!mismatch.isEmpty()) {
            violate(model, mismatch);
        }
        boolean isRemoved = model.kind == JobOrder.Kind.REMOVE;
        for (Map.Entry<String, Long> each : kept.get().entrySet()) {
            boolean isShared = model.built.containsValue(each.getValue());
            int owner = isShared && !isRemoved ? JobModel.OWNER : 0;
            attributes(fs, model, each, owner, isShared && !isRemoved ? 2 : 1);
        }
        if (isRemoved) {
            gone(fs, model);
        } else {
            given(fs, model);
        }
    }

    private static Map<String, Long> inos(FileSystem fs, long ino) {
        Map<String, Long> inos = new TreeMap<>();
        TreeWork.list(fs, ino).forEach((path, node) -> inos.put(path, node.ino()));
        return inos;
    }

    private void attributes(
            FileSystem fs, JobModel model, Map.Entry<String, Long> file, int owner, int links) {
        Outcome<Attributes> found =
                call.ask(
                        "stat " + file.getKey(),
                        () -> fs.getAttributes(Caller.ROOT, file.getValue()));
        if (!found.isDone()) {
            violate(model, file + " is gone: " + found.errno());
            return;
        }
        Attributes a = found.get();
        if (a.uid() != owner || (!a.isDirectory() && a.nlink() != links)) {
            violate(
                    model,
                    "%s has owner %d and %d links, not %d and %d"
                            .formatted(file, a.uid(), a.nlink(), owner, links));
        }
    }

    private void gone(FileSystem fs, JobModel model) {
        Outcome<Attributes> found =
                call.ask(
                        "lookup " + model.name,
                        () -> fs.lookup(Caller.ROOT, FileSystem.ROOT_INO, Name.of(model.name)));
        if (found.errno() != Errno.ENOENT) {
            violate(model, "it was removed and is there");
        }
    }

    private void given(FileSystem fs, JobModel model) {
        Outcome<Map<String, Long>> found =
                call.ask("list " + model.name, () -> inos(fs, model.ino()));
        if (!found.isDone() || !found.get().equals(model.built)) {
            violate(model, "there is " + found + ", not " + model.built);
            return;
        }
        attributes(fs, model, Map.entry("", model.ino()), JobModel.OWNER, 0);
        for (Map.Entry<String, Long> each : model.built.entrySet()) {
            int links = model.kept.containsValue(each.getValue()) ? 2 : 1;
            attributes(fs, model, each, JobModel.OWNER, links);
        }
    }

    /** Compares what a job has counted with what must have happened; after the look. */
    static @Nullable String mismatch(JobModel model, @Nullable JobRecord record) {
        if (record == null) {
            return "I3 " + model.name + ": there is no job " + model.job();
        }
        long changed = record.totals().get(Count.CHANGED);
        long errors = record.totals().get(Count.ERRORS);
        if (record.state() != JobRecord.State.DONE
                || errors != 0
                || changed != model.expectedChanges()) {
            return "I3 %s: job %d is %s (%s), has %d errors and %d changes, not %d"
                    .formatted(
                            model.name,
                            model.job(),
                            record.state(),
                            record.message(),
                            errors,
                            changed,
                            model.expectedChanges());
        }
        return null;
    }

    private void violate(JobModel model, String what) {
        oracle.history.violate("I3 job " + model.job() + " for " + model.name + ": " + what);
    }
}
