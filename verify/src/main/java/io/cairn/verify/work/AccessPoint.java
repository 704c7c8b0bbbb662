package io.cairn.verify.work;

import io.cairn.runtime.Clock;
import io.cairn.verify.access.FileAccess;
import io.cairn.verify.access.TryLaterException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * An access with the state of the process behind it. Measures operations and classifies how they
 * end. Thread-safe.
 */
public final class AccessPoint {
    private final FileAccess access;
    private final Clock clock;
    private final Findings findings;

    /** Odd while the process is not there: names are missing below a bare mountpoint. */
    private final AtomicInteger changes = new AtomicInteger();

    private final AtomicLong operations = new AtomicLong();

    /** What is asked of the files. */
    @FunctionalInterface
    public interface Call<T> {
        T on(FileAccess access) throws IOException;
    }

    /** How an operation ended. */
    public enum Ending {
        DONE,
        /** The name does not exist. */
        ABSENT,
        /** The name exists. */
        PRESENT,
        /** It may have happened or not. */
        UNKNOWN
    }

    /**
     * The end of an operation.
     *
     * @param value what came of it when it is done
     * @param beginNs when it began
     * @param endNs when it ended
     * @param error why it is not done, for people
     */
    public record Outcome<T>(
            Ending ending, @Nullable T value, long beginNs, long endNs, String error) {
        public boolean isDone() {
            return ending == Ending.DONE;
        }

        /** The value of an operation that is done. */
        public T get() {
            if (value == null) {
                throw new IllegalStateException(error);
            }
            return value;
        }
    }

    /** For an access whose process answers. */
    public AccessPoint(FileAccess access, Clock clock, Findings findings) {
        this.access = access;
        this.clock = clock;
        this.findings = findings;
    }

    /** The name of the process. */
    public String name() {
        return access.name();
    }

    /** The process is about to end. */
    public void down() {
        changes.updateAndGet(now -> now | 1);
    }

    /** It answers again. */
    public void up() {
        changes.updateAndGet(now -> (now | 1) + 1);
    }

    /** Operations that succeeded so far. */
    public long operations() {
        return operations.get();
    }

    /** Makes a call that returns nothing. */
    public Outcome<Boolean> run(OperationKind kind, String title, Action action) {
        return call(
                kind,
                title,
                files -> {
                    action.on(files);
                    return true;
                });
    }

    /** A call that returns nothing. */
    @FunctionalInterface
    public interface Action {
        void on(FileAccess access) throws IOException;
    }

    /** Makes a call. */
    public <T> Outcome<T> call(OperationKind kind, String title, Call<T> call) {
        int before = changes.get();
        long beginNs = clock.nanoTime();
        Ending ending = Ending.DONE;
        T value = null;
        String error = "";
        boolean counts = false;
        try {
            value = call.on(access);
            operations.incrementAndGet();
        } catch (IOException e) {
            boolean stable = (before & 1) == 0 && before == changes.get();
            ending =
                    stable && e instanceof NoSuchFileException
                            ? Ending.ABSENT
                            : stable && e instanceof FileAlreadyExistsException
                                    ? Ending.PRESENT
                                    : Ending.UNKNOWN;
            counts = ending == Ending.UNKNOWN && !(e instanceof TryLaterException);
            error = name() + ": " + title + ": " + e;
        }
        long endNs = clock.nanoTime();
        Trial trial = findings.trial();
        if (trial != null) {
            trial.ended(name(), kind, beginNs, endNs, ending != Ending.UNKNOWN);
            if (counts && (before & 1) == 0 && before == changes.get()) {
                trial.failed(name(), error);
            }
        }
        return new Outcome<>(ending, value, beginNs, endNs, error);
    }
}
