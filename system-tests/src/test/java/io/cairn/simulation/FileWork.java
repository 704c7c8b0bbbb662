package io.cairn.simulation;

import io.cairn.base.Errno;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.simulation.Call.Outcome;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Writing, reading and removing files that both clients use, one writer at a time. */
final class FileWork {
    private static final int SMALL_CELLS = 16;
    private static final int LARGE_CELLS = 200;

    /** Mode of fallocate(2): PUNCH_HOLE, KEEP_SIZE. */
    private static final int PUNCH_HOLE = 3;

    /** Files that stay open between turns. */
    private static final int MAX_HELD = 4;

    /** Whole cells: only what one read returns was there at one time. */
    private static final int READ_BYTES = 160 * Cells.BYTES;

    private final Oracle oracle;
    private final Random random;
    private final Call call;
    private final int process;
    private @Nullable FileModel writing;

    /** As logs and databases are: others write and cut them meanwhile. */
    private final Map<FileModel, OpenFile> held = new HashMap<>();

    FileWork(Oracle oracle, Random random, Call call, int process) {
        this.oracle = oracle;
        this.random = random;
        this.call = call;
        this.process = process;
    }

    /** The process died. */
    void crashed() {
        held.clear();
        if (writing != null) {
            writing.retire();
        }
    }

    private String who() {
        return "process " + process;
    }

    /** Opens a file, old or new, changes it and closes it. */
    void write(FileSystem fs, long directory) {
        List<FileModel> idle = oracle.idleFiles();
        boolean sync = random.nextInt(12) == 0;
        int flags = FileSystem.O_RDWR | (sync ? FileSystem.O_DSYNC : 0);
        if (idle.isEmpty() || (oracle.hasRoomForFile() && random.nextInt(4) == 0)) {
            create(fs, directory, flags);
            return;
        }
        FileModel model = Oracle.pick(random, idle);
        boolean cut = random.nextInt(10) == 0;
        model.take(who());
        writing = model;
        OpenFile kept = cut ? null : held.remove(model);
        if (kept != null) {
            use(model, kept, (kept.flags() & FileSystem.O_DSYNC) != 0, false);
            return;
        }
        int since = model.acknowledged();
        if (cut) {
            model.truncate(0, process);
        }
        Outcome<OpenFile> opened =
                call.ask(
                        "open " + model.name + (cut ? " O_TRUNC" : ""),
                        () ->
                                fs.open(
                                        Caller.ROOT,
                                        model.ino,
                                        flags | (cut ? FileSystem.O_TRUNC : 0)));
        if (!opened.isDone()) {
            refused(opened, "open " + model.name);
            giveUp(model, cut);
            return;
        }
        if (cut) {
            model.closed();
            since = model.all();
        }
        if (random.nextInt(3) == 0 && !check(model, opened.get(), since, model.all())) {
            opened.get().close();
            giveUp(model, false);
            return;
        }
        use(model, opened.get(), sync, true);
    }

    private void giveUp(FileModel model, boolean uncertain) {
        writing = null;
        if (uncertain) {
            model.retire();
        } else {
            model.release();
        }
    }

    private void create(FileSystem fs, long directory, int flags) {
        String name = oracle.newName("f");
        Outcome<FileSystem.Created> made =
                call.ask(
                        "create " + name,
                        () ->
                                fs.create(
                                        Caller.ROOT,
                                        directory,
                                        Name.of(name),
                                        0644,
                                        flags | FileSystem.O_CREAT | FileSystem.O_EXCL));
        if (!made.isDone()) {
            refused(made, "create " + name);
            return;
        }
        FileModel model = new FileModel(made.get().attributes().ino(), name);
        model.take(who());
        oracle.add(model);
        writing = model;
        use(model, made.get().file(), (flags & FileSystem.O_DSYNC) != 0, true);
    }

    /** An error that no fault explains. */
    private void refused(Outcome<?> outcome, String title) {
        if (!outcome.isUncertain()) {
            oracle.history.violate(who() + ": " + title + " failed with " + outcome.errno());
        }
    }

    /**
     * Changes a file and closes it, or keeps it open until the next turn.
     *
     * @param fresh whether it was opened just now; else what others did may not be read yet
     */
    private void use(FileModel model, OpenFile file, boolean sync, boolean fresh) {
        boolean sound = true;
        String mismatch = null;
        int steps = 1 + random.nextInt(6);
        for (int i = 0; i < steps && sound && mismatch == null; i++) {
            int dice = random.nextInt(10);
            if (dice < 1) {
                sound = zeroSome(model, file);
            } else if (dice < 6) {
                sound = writeSome(model, file, sync);
            } else if (dice < 7) {
                sound = flush(model, file);
            } else if (dice < 8 || !fresh) {
                sound = sync(model, file);
            } else {
                Outcome<ByteBuffer> seen = contents(file, model.name);
                sound = seen.isDone();
                mismatch = seen.isDone() ? model.mismatch(seen.get(), model.all(), true) : null;
            }
        }
        boolean keeps = sound && held.size() < MAX_HELD && random.nextInt(3) == 0;
        Outcome<Boolean> closed =
                keeps
                        ? call.run("flush and keep " + model.name, file::flush)
                        : call.run("close " + model.name, file::close);
        if (closed.isDone() && keeps) {
            held.put(model, file);
        }
        if (closed.isDone() && sound) {
            if (mismatch != null) {
                oracle.history.violate(who() + " does not see its own writes: " + mismatch);
            }
            model.closed();
        } else if (!closed.isDone()) {
            refused(closed, "close " + model.name);
            sound = false;
        }
        giveUp(model, !sound);
    }

    private boolean writeSome(FileModel model, OpenFile file, boolean sync) {
        int most = random.nextInt(6) == 0 ? LARGE_CELLS : SMALL_CELLS;
        int cells = 1 + random.nextInt(most);
        int size = model.size();
        int at = random.nextInt(3) == 0 ? size : random.nextInt(size + SMALL_CELLS);
        at = Math.min(at, FileModel.MAX_CELLS - cells);
        long tag = oracle.newTag();
        int from = at;
        model.write(tag, from, cells, process);
        String title = "write " + model.name + " [" + from + ", " + (from + cells) + ") tag " + tag;
        Outcome<Integer> written =
                call.ask(
                        title,
                        () -> file.write((long) from * Cells.BYTES, Cells.of(tag, from, cells, 0)));
        if (!written.isDone()) {
            refused(written, title);
        } else if (sync) {
            model.synced(process);
        }
        return written.isDone();
    }

    /** Makes a hole, or lets the file grow by zeros. */
    private boolean zeroSome(FileModel model, OpenFile file) {
        int cells = 1 + random.nextInt(LARGE_CELLS);
        int size = model.size();
        boolean grows = size == 0 || random.nextInt(3) == 0;
        int from = grows ? Math.min(size, FileModel.MAX_CELLS - cells) : random.nextInt(size);
        if (grows) {
            model.zero(size, Math.max(0, from + cells - size), true, process);
        } else {
            model.zero(from, cells, false, process);
        }
        int mode = grows ? 0 : PUNCH_HOLE;
        long offset = (long) from * Cells.BYTES;
        String title =
                "%s %s [%d, %d)"
                        .formatted(grows ? "allocate" : "punch", model.name, from, from + cells);
        Outcome<Boolean> done =
                call.run(title, () -> file.allocate(mode, offset, (long) cells * Cells.BYTES));
        if (!done.isDone()) {
            refused(done, title);
        }
        return done.isDone();
    }

    private boolean flush(FileModel model, OpenFile file) {
        Outcome<Boolean> flushed = call.run("flush " + model.name, file::flush);
        if (flushed.isDone()) {
            model.closed();
        }
        return flushed.isDone();
    }

    private boolean sync(FileModel model, OpenFile file) {
        boolean dataOnly = random.nextBoolean();
        Outcome<Boolean> synced = call.run("fsync " + model.name, () -> file.sync(dataOnly));
        if (synced.isDone()) {
            model.synced(process);
        }
        return synced.isDone();
    }

    /**
     * Whether contents are as they must be, or cannot be read now.
     *
     * @param before how many changes there were before the file was opened: the open may have been
     *     answered long before its answer arrived
     */
    private boolean check(FileModel model, OpenFile file, int since, int before) {
        Outcome<ByteBuffer> seen = contents(file, model.name);
        // What was under way before may have been done between two reads.
        boolean atOnce = seen.isDone() && seen.get().remaining() < READ_BYTES;
        boolean still = before == model.all() && (since == before || atOnce);
        String mismatch = seen.isDone() ? model.mismatch(seen.get(), since, still) : null;
        if (mismatch != null) {
            oracle.history.violate(who() + " reads " + mismatch);
        }
        return mismatch == null;
    }

    private Outcome<ByteBuffer> contents(OpenFile file, String name) {
        return call.ask("read " + name, () -> contents(file));
    }

    /** Everything that a file has. */
    static ByteBuffer contents(OpenFile file) {
        ByteBuffer all = ByteBuffer.allocate(READ_BYTES);
        while (true) {
            int count = file.read(all.position(), all.slice(all.position(), all.remaining()));
            if (count <= 0) {
                return all.flip();
            }
            all.position(all.position() + count);
            if (all.remaining() < READ_BYTES / 2) {
                all = ByteBuffer.allocate(2 * all.capacity()).put(all.flip());
            }
        }
    }

    /** Reads any file, perhaps while the other client writes it. */
    void read(FileSystem fs) {
        if (oracle.files.isEmpty()) {
            return;
        }
        FileModel model = Oracle.pick(random, oracle.files);
        int since = model.acknowledged();
        int before = model.all();
        Outcome<OpenFile> opened =
                call.ask(
                        "open " + model.name + " to read",
                        () -> fs.open(Caller.ROOT, model.ino, FileSystem.O_RDONLY));
        if (!opened.isDone()) {
            if (oracle.files.contains(model)) {
                refused(opened, "open " + model.name);
            }
            return;
        }
        check(model, opened.get(), since, before);
        call.run("close " + model.name, opened.get()::close);
    }

    /** Truncates a file by its number, or unlinks it. */
    void remove(FileSystem fs, long directory) {
        List<FileModel> idle = oracle.idleFiles();
        if (idle.isEmpty()) {
            return;
        }
        FileModel model = Oracle.pick(random, idle);
        model.take(who());
        writing = model;
        if (random.nextInt(3) > 0) {
            truncate(fs, model);
            return;
        }
        oracle.files.remove(model);
        Name name = Name.of(model.leaf());
        long home = oracle.directoryOf(model, directory);
        Outcome<Boolean> gone =
                call.run("unlink " + model.name, () -> fs.unlink(Caller.ROOT, home, name));
        writing = null;
        if (gone.isDone()) {
            if (model.isAmongMost()) {
                oracle.removed.add(model.name);
            }
            oracle.trashed.put(model.ino, model);
        } else {
            refused(gone, "unlink " + model.name);
        }
    }

    private void truncate(FileSystem fs, FileModel model) {
        int cells = random.nextInt(Math.min(FileModel.MAX_CELLS, model.size() + SMALL_CELLS));
        model.truncate(cells, process);
        String title = "truncate " + model.name + " to " + cells;
        AttributeChange change = AttributeChange.NONE.withSize((long) cells * Cells.BYTES);
        Outcome<Attributes> done =
                call.ask(title, () -> fs.setAttributes(Caller.ROOT, model.ino, change));
        if (done.isDone()) {
            model.closed();
            if (done.get().size() != (long) cells * Cells.BYTES) {
                oracle.history.violate(title + " leaves " + done.get().size() + " bytes");
            }
        } else if (done.errno() != Errno.ENOENT) {
            refused(done, title);
        }
        giveUp(model, !done.isDone());
    }
}
