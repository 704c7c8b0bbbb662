package io.cairn.simulation;

import io.cairn.base.Errno;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.fs.quota.Account;
import io.cairn.fs.quota.Quota;
import io.cairn.fs.quota.Sums;
import io.cairn.simulation.Call.Outcome;
import java.nio.ByteBuffer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the files under quotas when all faults are over, and fills a directory to its limit: now
 * it holds to the byte.
 */
final class QuotaCheck {
    private static final int LIMIT_BYTES = 100_000;

    /** Until all clients know of a quota. */
    private static final long HEARD_MS = 1_000;

    private final Oracle oracle;
    private final Call call;
    private final QuotaPlan quotas;

    QuotaCheck(Oracle oracle, Call call, QuotaPlan quotas) {
        this.oracle = oracle;
        this.call = call;
        this.quotas = quotas;
    }

    void look(FileSystem fs, QuotaModel model, SimulatedClient.Sleeper sleeper) {
        for (QuotaModel.File file : model.idle()) {
            Attributes found =
                    done(
                            "stat " + file.name,
                            () -> fs.lookup(Caller.ROOT, model.directory(), Name.of(file.name)));
            if (found != null && found.size() != file.length()) {
                violate(file.name + " has " + found.size() + " bytes, not " + file.length());
            }
        }
        quotas.removeAll(model.accounts());
        Attributes made =
                done(
                        "mkdir last",
                        () -> fs.mkdir(Caller.ROOT, model.directory(), Name.of("last"), 0755));
        if (made != null) {
            Sums hard = new Sums(2, LIMIT_BYTES, 0);
            quotas.set(Account.directory(made.ino()), new Quota(Sums.ZERO, hard, 0));
            sleeper.sleep(HEARD_MS);
            fill(fs, made.ino());
        }
    }

    private void fill(FileSystem fs, long directory) {
        FileSystem.Created made = done("create", () -> create(fs, directory, "full"));
        if (made == null) {
            return;
        }
        OpenFile file = made.file();
        refused("write far behind the end", () -> write(file, LIMIT_BYTES * 10L, 1));
        refused("write behind the limit", () -> write(file, LIMIT_BYTES, 1));
        done("write to the limit", () -> write(file, LIMIT_BYTES - 1, 1));
        done("write into the hole", () -> write(file, 0, LIMIT_BYTES / 2));
        refused("write more", () -> write(file, LIMIT_BYTES - 10, 11));
        done("fsync", () -> sync(file));
        done("write the rest of the hole", () -> write(file, LIMIT_BYTES / 2, LIMIT_BYTES / 2));
        refused("write at the end", () -> write(file, LIMIT_BYTES, 1));
        done("close", () -> close(file));
        long ino = made.attributes().ino();
        refused("extend", () -> resize(fs, ino, LIMIT_BYTES + 1));
        Attributes attributes = done("cut", () -> resize(fs, ino, LIMIT_BYTES - 1));
        if (attributes != null && attributes.size() != LIMIT_BYTES - 1) {
            violate("a file below a limit has " + attributes.size() + " bytes");
        }
        FileSystem.Created second = done("create", () -> create(fs, directory, "second"));
        refused("create a third", () -> create(fs, directory, "third"));
        if (second != null) {
            done("write the last byte", () -> write(second.file(), 0, 1));
            refused("write no more", () -> write(second.file(), 1, 1));
            done("close", () -> close(second.file()));
        }
    }

    private static FileSystem.Created create(FileSystem fs, long directory, String name) {
        int flags = FileSystem.O_RDWR | FileSystem.O_CREAT | FileSystem.O_EXCL;
        return fs.create(Caller.ROOT, directory, Name.of(name), 0644, flags);
    }

    private static Integer write(OpenFile file, long at, int bytes) {
        return file.write(at, ByteBuffer.allocate(bytes));
    }

    private static Boolean sync(OpenFile file) {
        file.sync(false);
        return true;
    }

    private static Boolean close(OpenFile file) {
        file.close();
        return true;
    }

    private static Attributes resize(FileSystem fs, long ino, long bytes) {
        return fs.setAttributes(Caller.ROOT, ino, AttributeChange.NONE.withSize(bytes));
    }

    private <T> @Nullable T done(String title, Supplier<T> action) {
        Outcome<T> outcome = call.ask("at the limit: " + title, action);
        if (!outcome.isDone()) {
            violate(title + " fails with " + outcome.errno());
            return null;
        }
        return outcome.get();
    }

    private void refused(String title, Supplier<?> action) {
        Outcome<?> outcome = call.ask("at the limit: " + title, action::get);
        if (outcome.errno() != Errno.EDQUOT) {
            violate(title + " answers " + outcome.errno() + ", not EDQUOT");
        }
    }

    private void violate(String what) {
        oracle.history.violate("quota: at the end: " + what);
    }
}
