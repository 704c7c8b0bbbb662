package io.cairn.client;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.session.Await;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Latency;
import io.cairn.trace.Scope;
import io.cairn.trace.Span;
import io.cairn.trace.Tracer;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Counts and times every operation by name: {@code cairn.client.operation} with the tag {@code
 * operation}, and {@code cairn.client.errors}. Each is a span, too, where traces are wanted.
 * Thread-safe.
 */
final class ClientMetrics {
    /** Counted operations. */
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
        CLOSE;

        private final String word = name().toLowerCase(Locale.ROOT);
        private final String title = "fs/" + word;
    }

    private final Clock clock;
    private final Tracer tracer;
    private final Map<Operation, Timer> timers = new EnumMap<>(Operation.class);
    private final Counter errors;

    ClientMetrics(MeterRegistry registry, Clock clock, Tracer tracer) {
        this.clock = clock;
        this.tracer = tracer;
        for (Operation operation : Operation.values()) {
            timers.put(
                    operation,
                    Latency.timer(
                            registry,
                            "cairn.client.operation",
                            "operations of the filesystem client",
                            Tags.of("operation", operation.word)));
        }
        errors =
                Counter.builder("cairn.client.errors")
                        .description("operations that failed because of the cluster")
                        .register(registry);
    }

    /**
     * Does and counts it. Errors that only services know leave as EIO.
     *
     * @param ino what it is done to: a file, or the directory in which a name is
     */
    <T> T time(Operation operation, long ino, Supplier<T> body) {
        Span span = tracer.begin(operation.title, Span.Kind.INTERNAL);
        return span.equals(Span.NONE)
                ? time(operation, body)
                : traced(span, ino, () -> time(operation, body));
    }

    /** Begins and counts it. */
    <T> CompletableFuture<T> begin(Operation operation, Supplier<CompletableFuture<T>> body) {
        return Objects.requireNonNull(this.<T>beginIfPossible(operation, () -> body.get()));
    }

    /** The same; null, and not counted, when it was not begun. */
    <T> @Nullable CompletableFuture<T> beginIfPossible(
            Operation operation, Supplier<@Nullable CompletableFuture<T>> body) {
        long beganNs = clock.nanoTime();
        Span span = tracer.begin(operation.title, Span.Kind.INTERNAL);
        CompletableFuture<T> begun;
        try {
            begun = Scope.get(span, body);
        } catch (FsException e) {
            begun = CompletableFuture.failedFuture(e);
        }
        return begun == null
                ? null
                : begun.handle(
                        (result, failure) -> {
                            record(operation, beganNs);
                            Span.end(span, failure);
                            if (failure != null) {
                                throw outward(Await.failure(failure));
                            }
                            return result;
                        });
    }

    /** The same for what has no result. */
    void run(Operation operation, long ino, Runnable body) {
        Span span = tracer.begin(operation.title, Span.Kind.INTERNAL);
        if (span.equals(Span.NONE)) {
            run(operation, body);
            return;
        }
        var _ =
                traced(
                        span,
                        ino,
                        () -> {
                            run(operation, body);
                            return Boolean.TRUE;
                        });
    }

    private static <T> T traced(Span span, long ino, Supplier<T> body) {
        span.note("cairn.inode", ino);
        FsException ofTheCluster = null;
        try {
            return Scope.get(span, body);
        } catch (FsException e) {
            span.note("cairn.errno", e.errno().name());
            ofTheCluster = isOfTheCluster(e.errno()) ? e : null;
            throw e;
        } finally {
            Span.end(span, ofTheCluster);
        }
    }

    /** Errors that are no answer to the caller but a trouble of the services. */
    private static boolean isOfTheCluster(Errno errno) {
        return errno == Errno.EIO || errno == Errno.ETIMEDOUT || !errno.isPosix();
    }

    private <T> T time(Operation operation, Supplier<T> body) {
        long beganNs = clock.nanoTime();
        try {
            return body.get();
        } catch (FsException e) {
            throw outward(e);
        } finally {
            record(operation, beganNs);
        }
    }

    private void run(Operation operation, Runnable body) {
        long beganNs = clock.nanoTime();
        try {
            body.run();
        } catch (FsException e) {
            throw outward(e);
        } finally {
            record(operation, beganNs);
        }
    }

    private void record(Operation operation, long beganNs) {
        Timer timer = timers.get(operation);
        if (timer != null) {
            timer.record(clock.nanoTime() - beganNs, TimeUnit.NANOSECONDS);
        }
    }

    private FsException outward(FsException error) {
        Errno errno = error.errno();
        if (isOfTheCluster(errno)) {
            errors.increment();
        }
        return errno.isPosix()
                ? error
                : new FsException(Errno.EIO, errno.text() + ": " + error.getMessage(), error);
    }
}
