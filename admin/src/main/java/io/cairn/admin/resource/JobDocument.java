package io.cairn.admin.resource;

import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Shape;
import io.cairn.fs.FileSystem;
import io.cairn.master.job.JobRunner;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.job.JobError;
import io.cairn.metadata.job.JobRecord;
import io.cairn.metadata.job.JobTotals;
import io.cairn.metadata.job.JobTotals.Count;
import io.cairn.wire.master.JobOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The API's document of a tree job. */
final class JobDocument {
    private static final Shape PROGRESS =
            Shape.fields(
                    Field.of("names", Shape.count(), "Names gone through."),
                    Field.of("namesFound", Shape.count(), "Names seen in directories so far."),
                    Field.maybe("namesTotal", Shape.count(), "An estimate, where there is one."),
                    Field.of("namesPerSecond", new Shape.Decimal(), "Lately."),
                    Field.maybe("currentPath", Shape.text(), "Where it is, while it is somewhere."),
                    Field.maybe("currentPathHex", Shape.text(), "Its bytes, if not UTF-8."));

    private static final Shape SHARE =
            Shape.fields(
                    Field.of("replicas", Shape.count(), "Copies; 0: in the masters."),
                    Field.of("files", Shape.count(), "How many."),
                    Field.of("sizeBytes", Shape.count(), "Their lengths."),
                    Field.of("allocatedBytes", Shape.count(), "What one copy takes."),
                    Field.of("storedBytes", Shape.count(), "What all copies take."));

    private static final Shape TOTALS =
            Shape.fields(
                    Field.of("files", Shape.count(), "Regular files, each once."),
                    Field.of("directories", Shape.count(), "Directories."),
                    Field.of("others", Shape.count(), "Links, devices, pipes, sockets."),
                    Field.of("changed", Shape.count(), "Inodes changed, or names removed."),
                    Field.of("errors", Shape.count(), "Names at which something failed."),
                    Field.of("links", Shape.count(), "usage, clone: further names of files."),
                    Field.of("sizeBytes", Shape.count(), "usage, remove, clone: of files."),
                    Field.of("allocatedBytes", Shape.count(), "usage, remove, clone: of one copy."),
                    Field.of("storedBytes", Shape.count(), "usage: of all copies."),
                    Field.of("misplacedFiles", Shape.count(), "policy, class: stay elsewhere."),
                    Field.of("misplacedBytes", Shape.count(), "policy, class: of one copy."),
                    Field.of("byReplicas", Shape.items(SHARE), "usage: by number of copies."));

    private static final Shape ERROR =
            Shape.fields(
                    Field.of("path", Shape.text(), "Where."),
                    Field.maybe("pathHex", Shape.text(), "Its bytes, if not UTF-8."),
                    Field.of("errno", Shape.text(), "Such as ENOTEMPTY."),
                    Field.of("message", Shape.text(), "What went wrong."));

    /** One job. */
    static final Shape SHAPE =
            Shape.fields(
                    Field.of("id", Shape.text(), "Number, decimal."),
                    Field.of("kind", Shape.choice(kinds()), "What it does."),
                    Field.of("path", Shape.text(), "Its tree, as it was ordered."),
                    Field.maybe("pathHex", Shape.text(), "Its bytes, if not UTF-8."),
                    Field.of("ino", Shape.text(), "Inode of the root of the tree."),
                    Field.of("edit", Shape.fields(editFields()), "What it changes."),
                    Field.of("state", Shape.choice(states()), "Where it is."),
                    Field.of("message", Shape.text(), "Why it failed, or empty."),
                    Field.of("owner", Shape.text(), "Token of who ordered it."),
                    Field.of("maxPerSecond", Shape.count(), "Names that it may go through."),
                    Field.of("orderedAt", Shape.time(), "When."),
                    Field.maybe("startedAt", Shape.time(), "When it ran first."),
                    Field.maybe("finishedAt", Shape.time(), "When it ended."),
                    Field.of("progress", PROGRESS, "How far it is."),
                    Field.of("totals", TOTALS, "What it has counted."),
                    Field.maybe("errors", Shape.items(ERROR), "The first 100; not in lists."));

    private JobDocument() {}

    private static Field[] editFields() {
        return EditFields.FIELDS.toArray(Field[]::new);
    }

    /** The kinds of jobs. */
    static List<String> kinds() {
        return texts(JobOrder.Kind.values());
    }

    /** The kinds that can be ordered as jobs; clones are ordered otherwise. */
    static List<String> orderedKinds() {
        return kinds().stream().filter(kind -> !kind.equals(text(JobOrder.Kind.CLONE))).toList();
    }

    /** The states of jobs. */
    static List<String> states() {
        return texts(JobRecord.State.values());
    }

    private static List<String> texts(Enum<?>[] values) {
        List<String> texts = new ArrayList<>();
        for (Enum<?> value : values) {
            texts.add(text(value));
        }
        return texts;
    }

    static String text(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /** A job in a list. */
    static Map<String, Object> of(Namespace namespace, JobRunner runner, JobRecord record) {
        JobOrder order = record.order();
        Map<String, Object> document = Json.map();
        document.put("id", String.valueOf(record.job()));
        document.put("kind", text(order.kind()));
        TreePath.put(document, "path", order.path());
        document.put("ino", String.valueOf(order.ino()));
        document.put("edit", EditFields.toJson(order.edit()));
        document.put("state", text(record.state()));
        document.put("message", record.message());
        document.put("owner", order.owner());
        document.put("maxPerSecond", order.maxPerSecond());
        JobRecord.Times times = record.times();
        document.put("orderedAt", InodeDocument.time(times.orderedNs()));
        document.put("startedAt", timeOrNull(times.startedNs()));
        document.put("finishedAt", timeOrNull(times.finishedNs()));
        document.put("progress", progress(namespace, runner, record));
        document.put("totals", totals(record.totals()));
        return document;
    }

    /** The same with the errors. */
    static Map<String, Object> full(Namespace namespace, JobRunner runner, JobRecord record) {
        Map<String, Object> document = of(namespace, runner, record);
        List<Object> errors = new ArrayList<>();
        for (JobError error : namespace.jobErrors(record.job())) {
            Map<String, Object> item = Json.map();
            TreePath.put(item, "path", error.path());
            item.put("errno", error.errno().name());
            item.put("message", error.message());
            errors.add(item);
        }
        document.put("errors", errors);
        return document;
    }

    private static @Nullable String timeOrNull(long ns) {
        return ns == 0 ? null : InodeDocument.time(ns);
    }

    private static Map<String, Object> progress(
            Namespace namespace, JobRunner runner, JobRecord record) {
        JobTotals totals = record.totals();
        boolean isAll = record.order().ino() == FileSystem.ROOT_INO;
        boolean isFinished = record.state().isFinished();
        long names = totals.get(Count.NAMES);
        Map<String, Object> document = Json.map();
        document.put("names", names);
        document.put("namesFound", Math.max(names, totals.get(Count.FOUND)));
        Long total = isAll && !isFinished ? Math.max(names, namespace.inodeCount()) : null;
        document.put(
                "namesTotal", record.state() == JobRecord.State.DONE ? Long.valueOf(names) : total);
        double perSecond = isFinished ? 0 : runner.namesPerSecond(record.job());
        document.put("namesPerSecond", Math.round(perSecond * 10) / 10.0);
        if (!isFinished && record.depth() > 0) {
            TreePath.put(document, "currentPath", namespace.jobPath(record));
        }
        return document;
    }

    private static Map<String, Object> totals(JobTotals totals) {
        Map<String, Object> document = Json.map();
        document.put("files", totals.get(Count.FILES));
        document.put("directories", totals.get(Count.DIRECTORIES));
        document.put("others", totals.get(Count.OTHERS));
        document.put("changed", totals.get(Count.CHANGED));
        document.put("errors", totals.get(Count.ERRORS));
        document.put("links", totals.get(Count.LINKS));
        document.put("sizeBytes", totals.get(Count.SIZE_BYTES));
        document.put("allocatedBytes", totals.get(Count.ALLOCATED_BYTES));
        document.put("storedBytes", totals.get(Count.STORED_BYTES));
        document.put("misplacedFiles", totals.get(Count.MISPLACED_FILES));
        document.put("misplacedBytes", totals.get(Count.MISPLACED_BYTES));
        List<Object> shares = new ArrayList<>();
        new TreeMap<>(totals.shares())
                .forEach(
                        (replicas, share) -> {
                            Map<String, Object> item = Json.map();
                            item.put("replicas", replicas);
                            item.put("files", share.files());
                            item.put("sizeBytes", share.sizeBytes());
                            item.put("allocatedBytes", share.allocatedBytes());
                            item.put("storedBytes", share.allocatedBytes() * replicas);
                            shares.add(item);
                        });
        document.put("byReplicas", shares);
        return document;
    }
}
