package io.cairn.simulation;

import io.cairn.base.Errno;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.fs.quota.Sums;
import io.cairn.simulation.Call.Outcome;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Files of users under quotas: made, written also far behind their ends, cut, extended and removed.
 * A quota refuses the call that would pass it, and nothing later.
 */
final class QuotaWork {
    static final String DIRECTORY = "limited";
    private static final int MOST_FILES = 10;
    private static final int MOST_BYTES = 40_000;
    private static final int MOST_GAP_BYTES = 120_000;

    private final Oracle oracle;
    private final Random random;
    private final Call call;
    private @Nullable QuotaModel working;
    private QuotaModel.@Nullable File taken;
    private int creatingUid;

    QuotaWork(Oracle oracle, Random random, Call call) {
        this.oracle = oracle;
        this.random = random;
        this.call = call;
    }

    /** The process died: what it was allowed stays so until its session has ended. */
    void crashed() {
        if (working != null) {
            working.taint();
            if (creatingUid != 0) {
                working.add("a new one", 0, creatingUid, false);
            }
            if (taken != null) {
                working.retire(taken);
            }
            working.endTurn();
        }
    }

    /** Does something there. */
    void work(FileSystem fs, QuotaModel model) {
        if (model.directory() == 0) {
            make(fs, model);
            return;
        }
        working = model;
        model.beginTurn();
        turn(fs, model);
        model.endTurn();
        taken = null;
        working = null;
    }

    private void make(FileSystem fs, QuotaModel model) {
        Name name = Name.of(DIRECTORY);
        call.ask("mkdir " + name, () -> fs.mkdir(Caller.ROOT, FileSystem.ROOT_INO, name, 0777));
        Outcome<Attributes> found =
                call.ask("lookup " + name, () -> fs.lookup(Caller.ROOT, FileSystem.ROOT_INO, name));
        if (found.isDone()) {
            model.made(found.get().ino());
        }
    }

    private void turn(FileSystem fs, QuotaModel model) {
        List<QuotaModel.File> idle = model.idle();
        int dice = random.nextInt(10);
        if (idle.isEmpty() || dice < 3 && model.count() < MOST_FILES) {
            create(fs, model);
            return;
        }
        QuotaModel.File file = Oracle.pick(random, idle);
        model.take(file);
        taken = file;
        if (dice < 7) {
            open(fs, model, file);
        } else if (dice < 9) {
            resize(fs, model, file);
        } else {
            remove(fs, model, file);
        }
        model.release(file);
    }

    private static Caller owner(int uid) {
        return Caller.of(uid, QuotaModel.GROUP);
    }

    /** Judges an answer; whether it was refused by a quota. */
    private boolean isRefused(
            QuotaModel model, QuotaModel.Attempt attempt, Outcome<?> outcome, String title) {
        return isRefused(model, attempt, outcome, title, true);
    }

    private boolean isRefused(
            QuotaModel model,
            QuotaModel.Attempt attempt,
            Outcome<?> outcome,
            String title,
            boolean isLogged) {
        String mismatch = model.judge(attempt, outcome.errno(), isLogged);
        if (mismatch != null) {
            oracle.history.violate("quota: " + title + " " + mismatch);
        }
        if (!outcome.isDone() && !outcome.isUncertain() && outcome.errno() != Errno.EDQUOT) {
            oracle.history.violate("quota: " + title + " fails with " + outcome.errno());
        }
        return outcome.errno() == Errno.EDQUOT;
    }

    private void create(FileSystem fs, QuotaModel model) {
        int uid = QuotaModel.USERS[random.nextInt(QuotaModel.USERS.length)];
        String name = oracle.newName("q");
        String title = "create " + name + " for " + uid;
        QuotaModel.Attempt attempt = model.attempt(uid, new Sums(1, 0, 0));
        creatingUid = uid;
        int flags = FileSystem.O_RDWR | FileSystem.O_CREAT | FileSystem.O_EXCL;
        Outcome<FileSystem.Created> made =
                call.ask(
                        title,
                        () -> fs.create(owner(uid), model.directory(), Name.of(name), 0644, flags));
        creatingUid = 0;
        if (isRefused(model, attempt, made, title)) {
            return;
        }
        long ino = made.isDone() ? made.get().attributes().ino() : 0;
        QuotaModel.File file = model.add(name, ino, uid, made.isDone());
        taken = file;
        if (made.isDone()) {
            use(model, file, made.get().file());
        } else {
            model.taint();
        }
        model.release(file);
    }

    private void open(FileSystem fs, QuotaModel model, QuotaModel.File file) {
        Outcome<OpenFile> opened =
                call.ask(
                        "open " + file.name,
                        () -> fs.open(owner(file.uid), file.ino, FileSystem.O_RDWR));
        if (opened.isDone()) {
            use(model, file, opened.get());
        } else if (!opened.isUncertain()) {
            oracle.history.violate("quota: open " + file.name + " fails with " + opened.errno());
        }
    }

    /** Writes and closes; what was taken is not refused then. */
    private void use(QuotaModel model, QuotaModel.File file, OpenFile open) {
        boolean isSound = true;
        int steps = random.nextInt(4);
        for (int i = 0; i < steps && isSound; i++) {
            isSound = random.nextInt(5) == 0 ? sync(model, file, open) : write(model, file, open);
        }
        Outcome<Boolean> closed = call.run("close " + file.name, open::close);
        isTaken("close " + file.name, closed);
        if (isSound && closed.isDone()) {
            model.committed(file);
        } else {
            model.retire(file);
        }
    }

    /** What came before was taken, and stays so. */
    private void isTaken(String title, Outcome<?> outcome) {
        if (!outcome.isDone() && !outcome.isUncertain()) {
            oracle.history.violate("quota: " + title + " fails with " + outcome.errno());
        }
    }

    private boolean sync(QuotaModel model, QuotaModel.File file, OpenFile open) {
        Outcome<Boolean> synced = call.run("fsync " + file.name, () -> open.sync(false));
        isTaken("fsync " + file.name, synced);
        if (synced.isDone()) {
            model.committed(file);
        }
        return synced.isDone();
    }

    /** Inside, at the end, or behind a gap; or lets the file grow by a hole. */
    private boolean write(QuotaModel model, QuotaModel.File file, OpenFile open) {
        long length = file.length();
        int bytes = 1 + random.nextInt(MOST_BYTES);
        long at =
                switch (random.nextInt(3)) {
                    case 0 -> random.nextInt((int) length + 1);
                    case 1 -> length;
                    default -> length + random.nextInt(MOST_GAP_BYTES);
                };
        long end = at + bytes;
        boolean isHole = random.nextInt(8) == 0;
        String title =
                "%s %s [%d, %d)".formatted(isHole ? "allocate" : "write", file.name, at, end);
        QuotaModel.Attempt attempt =
                model.attempt(file.uid, new Sums(0, Math.max(0, end - length), 0));
        Outcome<?> done =
                isHole
                        ? call.run(title, () -> open.allocate(0, at, bytes))
                        : call.ask(title, () -> open.write(at, ByteBuffer.allocate(bytes)));
        if (!isRefused(model, attempt, done, title, false)) {
            model.mayBe(file, Math.max(length, end));
        }
        return done.isDone() || done.errno() == Errno.EDQUOT;
    }

    private void resize(FileSystem fs, QuotaModel model, QuotaModel.File file) {
        long before = file.length();
        long length = random.nextInt((int) before + MOST_GAP_BYTES);
        String title = "truncate " + file.name + " to " + length;
        if (length < before) {
            model.mayBe(file, length);
        }
        QuotaModel.Attempt attempt =
                model.attempt(file.uid, new Sums(0, Math.max(0, length - before), 0));
        AttributeChange change = AttributeChange.NONE.withSize(length);
        Outcome<Attributes> done =
                call.ask(title, () -> fs.setAttributes(owner(file.uid), file.ino, change));
        if (isRefused(model, attempt, done, title)) {
            return;
        }
        if (done.isDone()) {
            model.is(file, length);
        } else {
            model.mayBe(file, length);
            model.retire(file);
        }
    }

    private void remove(FileSystem fs, QuotaModel model, QuotaModel.File file) {
        String title = "unlink " + file.name;
        model.leaves(file);
        Outcome<Boolean> gone =
                call.run(
                        title,
                        () -> fs.unlink(owner(file.uid), model.directory(), Name.of(file.name)));
        if (gone.isDone()) {
            model.gone(file);
        } else {
            isTaken(title, gone);
            model.retire(file);
        }
    }
}
