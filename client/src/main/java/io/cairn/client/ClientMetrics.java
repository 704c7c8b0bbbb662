package io.cairn.client;

import io.cairn.fs.Errno;
import io.cairn.fs.FsException;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Latency;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Counts and times every operation by name: {@code cairn.client.operation} with the tag {@code
 * operation}, and {@code cairn.client.errors}. Thread-safe.
 */
final class ClientMetrics {
    /** What is counted. */
    enum Operation {
        LOOKUP,
        GETATTR,
        SETATTR,
        ACCESS,
        MKDIR,
        MKNOD,
        SYMLINK,
        READLINK,
        LINK,
        UNLINK,
        RMDIR,
        RENAME,
        CREATE,
        OPEN,
        READDIR,
        GETXATTR,
        LISTXATTR,
        SETXATTR,
        REMOVEXATTR,
        STATFS,
        LOCK,
        READ,
        WRITE,
        FLUSH,
        FSYNC,
        CLOSE
    }

    private final Clock clock;
    private final Timer[] timers = new Timer[Operation.values().length];
    private final Counter errors;

    ClientMetrics(MeterRegistry registry, Clock clock) {
        this.clock = clock;
        for (Operation operation : Operation.values()) {
            timers[operation.ordinal()] =
                    Latency.timer(
                            registry,
                            "cairn.client.operation",
                            "operations of the filesystem client",
                            Tags.of("operation", operation.name().toLowerCase(Locale.ROOT)));
        }
        errors =
                Counter.builder("cairn.client.errors")
                        .description("operations that failed because of the cluster")
                        .register(registry);
    }

    /** Does and counts it. Errors that only services know leave as EIO. */
    <T> T time(Operation operation, Supplier<T> body) {
        long beganNs = clock.nanoTime();
        try {
            return body.get();
        } catch (FsException e) {
            throw outward(e);
        } finally {
            timers[operation.ordinal()].record(clock.nanoTime() - beganNs, TimeUnit.NANOSECONDS);
        }
    }

    /** The same for what has no result. */
    void run(Operation operation, Runnable body) {
        long beganNs = clock.nanoTime();
        try {
            body.run();
        } catch (FsException e) {
            throw outward(e);
        } finally {
            timers[operation.ordinal()].record(clock.nanoTime() - beganNs, TimeUnit.NANOSECONDS);
        }
    }

    private FsException outward(FsException error) {
        Errno errno = error.errno();
        if (errno == Errno.EIO || errno == Errno.ETIMEDOUT || !errno.isPosix()) {
            errors.increment();
        }
        return errno.isPosix()
                ? error
                : new FsException(Errno.EIO, errno.text() + ": " + error.getMessage(), error);
    }
}
