package io.cairn.simulation;

import io.cairn.base.Errno;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.simulation.Call.Outcome;
import io.cairn.wire.master.JobOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Trees for jobs of the masters: builds them, and saves files out of them while jobs remove them. A
 * tree of which any part failed is given up; nobody orders a job for it.
 */
final class JobWork {
    private static final int MAX_TREES = 5;
    private static final int FILES = 5;
    private static final int KEPT = 3;
    private static final int CELLS = 24;
    private static final List<String> DIRECTORIES = List.of("a", "a/b", "c", "c/d");
    private static final String LINK = "link";

    private final Oracle oracle;
    private final Random random;
    private final Call call;

    JobWork(Oracle oracle, Random random, Call call) {
        this.oracle = oracle;
        this.random = random;
        this.call = call;
    }

    /** Builds a tree, or saves a file out of one. */
    void work(FileSystem fs) {
        List<JobModel> rich = oracle.jobs.stream().filter(JobModel::hasMovable).toList();
        boolean hasRoom = oracle.jobs.size() < MAX_TREES;
        if (hasRoom && (rich.isEmpty() || random.nextInt(4) == 0)) {
            build(fs);
        } else if (!rich.isEmpty()) {
            save(fs, Oracle.pick(random, rich));
        }
    }

    private void build(FileSystem fs) {
        JobOrder.Kind kind = random.nextInt(3) == 0 ? JobOrder.Kind.CHOWN : JobOrder.Kind.REMOVE;
        JobModel model =
                new JobModel(
                        oracle.newName("job"), kind, random.nextLong(), 5 + random.nextInt(60));
        oracle.jobs.add(model);
        Long root = directory(fs, FileSystem.ROOT_INO, model.name);
        Long keep = root == null ? null : directory(fs, FileSystem.ROOT_INO, model.keepName);
        if (root == null || keep == null) {
            return;
        }
        List<String> files = new ArrayList<>();
        if (fill(fs, model, root, files) && neighbours(fs, model, keep, files)) {
            model.ready(root, keep, files);
        }
    }

    private boolean fill(FileSystem fs, JobModel model, long root, List<String> files) {
        for (String path : DIRECTORIES) {
            Long made = directory(fs, parentIno(model, root, path), last(path));
            if (made == null) {
                return false;
            }
            model.built.put(path, made);
            for (int i = 0; i < FILES; i++) {
                String file = path + "/f" + i;
                Long ino = file(fs, made, "f" + i);
                if (ino == null) {
                    return false;
                }
                model.built.put(file, ino);
                files.add(file);
            }
        }
        return data(fs, model, root);
    }

    /** A file with chunks, which become garbage. */
    private boolean data(FileSystem fs, JobModel model, long root) {
        Outcome<FileSystem.Created> made =
                call.ask(
                        "create " + model.name + "/data",
                        () ->
                                fs.create(
                                        Caller.ROOT,
                                        root,
                                        Name.of("data"),
                                        0644,
                                        FileSystem.O_RDWR | FileSystem.O_CREAT));
        if (!made.isDone()) {
            return false;
        }
        OpenFile file = made.get().file();
        long tag = oracle.newTag();
        Outcome<Integer> written =
                call.ask("write data", () -> file.write(0, Cells.of(tag, 0, CELLS, 0)));
        Outcome<Boolean> closed = call.run("close data", file::close);
        model.built.put("data", made.get().attributes().ino());
        return written.isDone() && closed.isDone();
    }

    /** What the job has to leave alone; one file has its other name in the tree. */
    private boolean neighbours(FileSystem fs, JobModel model, long keep, List<String> files) {
        for (int i = 0; i < KEPT; i++) {
            Long ino = file(fs, keep, "k" + i);
            if (ino == null) {
                return false;
            }
            model.kept.put("k" + i, ino);
        }
        String shared = files.removeFirst();
        long ino = model.inoOf(shared);
        model.kept.put(LINK, ino);
        return call.ask("link " + shared, () -> fs.link(Caller.ROOT, ino, keep, Name.of(LINK)))
                .isDone();
    }

    private @Nullable Long directory(FileSystem fs, long parent, String name) {
        return ino(
                call.ask(
                        "mkdir " + name, () -> fs.mkdir(Caller.ROOT, parent, Name.of(name), 0755)));
    }

    private @Nullable Long file(FileSystem fs, long parent, String name) {
        return ino(
                call.ask(
                        "mknod " + name,
                        () ->
                                fs.mknod(
                                        Caller.ROOT,
                                        parent,
                                        Name.of(name),
                                        FileType.FILE,
                                        0644,
                                        0)));
    }

    private static @Nullable Long ino(Outcome<Attributes> made) {
        return made.isDone() ? (Long) made.get().ino() : null;
    }

    private static long parentIno(JobModel model, long root, String path) {
        int slash = path.lastIndexOf('/');
        return slash < 0 ? root : model.inoOf(path.substring(0, slash));
    }

    private static String last(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /** What is moved out before the job comes by stays; what is gone by then cannot be moved. */
    private void save(FileSystem fs, JobModel model) {
        String path = model.takeMovable(random.nextInt(model.movableCount()));
        model.saving(path);
        long parent = parentIno(model, model.ino(), path);
        String title = "save " + model.name + "/" + path;
        Outcome<Boolean> moved =
                call.run(
                        title,
                        () ->
                                fs.rename(
                                        Caller.ROOT,
                                        parent,
                                        Name.of(last(path)),
                                        model.keepIno(),
                                        Name.of(JobModel.savedName(path)),
                                        0));
        if (moved.isDone()) {
            model.saved(path);
        } else if (!moved.isUncertain()) {
            model.lost(path);
            if (!model.isOrdered() || !isGone(moved.errno())) {
                oracle.history.violate("I3 " + title + " answers " + moved.errno());
            }
        }
    }

    /** The file is gone, or its directory, too. */
    private static boolean isGone(@Nullable Errno errno) {
        return errno == Errno.ENOENT || errno == Errno.ESTALE;
    }
}
