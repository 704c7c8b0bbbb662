package io.cairn.simulation;

import io.cairn.base.Errno;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.simulation.Call.Outcome;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.Set;

/** Appending to the one file that all append to. */
final class AppendWork {
    private static final int SHORT_CELLS = 4;
    private static final int LONG_CELLS = 40;

    private final Oracle oracle;
    private final Random random;
    private final Call call;
    private final String process;

    AppendWork(Oracle oracle, Random random, Call call, String process) {
        this.oracle = oracle;
        this.random = random;
        this.call = call;
        this.process = process;
    }

    /** The process died. */
    void crashed() {
        oracle.log.failed(process);
    }

    /** Makes the file, or finds it. */
    void make(FileSystem fs) {
        Outcome<FileSystem.Created> made =
                call.ask(
                        "create log",
                        () ->
                                fs.create(
                                        Caller.ROOT,
                                        FileSystem.ROOT_INO,
                                        Name.of(ClientWork.LOG),
                                        0644,
                                        FileSystem.O_RDWR | FileSystem.O_CREAT));
        if (made.isDone()) {
            oracle.log.made(made.get().attributes().ino());
            call.run("close log", made.get().file()::close);
        }
    }

    /** Appends some records and closes. */
    void append(FileSystem fs) {
        Outcome<OpenFile> opened = open(fs, FileSystem.O_WRONLY | FileSystem.O_APPEND);
        if (!opened.isDone()) {
            return;
        }
        boolean sound = true;
        int records = 1 + random.nextInt(3);
        for (int i = 0; i < records && sound; i++) {
            int cells = 1 + random.nextInt(random.nextInt(8) == 0 ? LONG_CELLS : SHORT_CELLS);
            long tag = oracle.newTag();
            oracle.log.append(process, tag, cells);
            ByteBuffer record = Cells.of(tag, 0, cells, cells);
            sound =
                    call.ask("append " + tag + " of " + cells, () -> opened.get().write(0, record))
                            .isDone();
            if (sound && random.nextInt(4) == 0) {
                sound = call.run("fsync log", () -> opened.get().sync(true)).isDone();
                if (sound) {
                    oracle.log.acknowledged(process, true);
                }
            }
        }
        if (!sound) {
            oracle.log.failed(process);
        }
        if (call.run("close log", opened.get()::close).isDone()) {
            oracle.log.acknowledged(process, false);
        } else {
            oracle.log.failed(process);
        }
    }

    private Outcome<OpenFile> open(FileSystem fs, int flags) {
        Outcome<OpenFile> opened =
                call.ask("open log", () -> fs.open(Caller.ROOT, oracle.log.ino(), flags));
        if (!opened.isDone() && !opened.isUncertain()) {
            Errno errno = opened.errno();
            oracle.history.violate(process + " cannot open the log: " + errno);
        }
        return opened;
    }

    /** Reads and compares. */
    void read(FileSystem fs) {
        Set<Long> needed = oracle.log.acknowledged();
        Outcome<OpenFile> opened = open(fs, FileSystem.O_RDONLY);
        if (!opened.isDone()) {
            return;
        }
        Outcome<ByteBuffer> seen = call.ask("read log", () -> FileWork.contents(opened.get()));
        String mismatch = seen.isDone() ? oracle.log.mismatch(seen.get(), needed) : null;
        if (mismatch != null) {
            oracle.history.violate(process + " reads " + mismatch);
        }
        call.run("close log", opened.get()::close);
    }
}
