package io.cairn.master;

import io.cairn.cluster.Endpoint;
import io.cairn.master.load.SlowMutation;
import io.cairn.metadata.Outcome;
import io.cairn.trace.Scope;
import io.cairn.trace.Span;
import io.cairn.trace.Tracer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A log whose entries are spans of the request that they are for: from the submission until a
 * majority has the entry on stable media and this master has applied it. Thread-safe.
 */
public final class TracedLog implements ReplicatedLog {
    private final ReplicatedLog log;
    private final Tracer tracer;

    private TracedLog(ReplicatedLog log, Tracer tracer) {
        this.log = log;
        this.tracer = tracer;
    }

    /** Around a log, which it closes; the log itself when nothing is traced. */
    public static ReplicatedLog around(ReplicatedLog log, Tracer tracer) {
        return tracer.equals(Tracer.OFF) ? log : new TracedLog(log, tracer);
    }

    @Override
    public CompletableFuture<Outcome> submit(byte[] frame, int offset) {
        if (Scope.current().context() == null) {
            return log.submit(frame, offset);
        }
        Span span = tracer.begin("log/submit", Span.Kind.INTERNAL);
        return log.submit(frame, offset).whenComplete((_, thrown) -> Span.end(span, thrown));
    }

    @Override
    public List<SlowMutation> slow() {
        return log.slow();
    }

    @Override
    public boolean mayRead() {
        return log.mayRead();
    }

    @Override
    public long leaderTerm() {
        return log.leaderTerm();
    }

    @Override
    public @Nullable Endpoint leader() {
        return log.leader();
    }

    @Override
    public List<Standing> masters() {
        return log.masters();
    }

    @Override
    public @Nullable String refusal(Change change) {
        return log.refusal(change);
    }

    @Override
    public List<String> warnings(Change change) {
        return log.warnings(change);
    }

    @Override
    public CompletableFuture<Void> change(Change change) {
        return log.change(change);
    }

    @Override
    public @Nullable String waiting() {
        return log.waiting();
    }

    @Override
    public long term() {
        return log.term();
    }

    @Override
    public CompletableFuture<Void> lead(String id) {
        return log.lead(id);
    }

    @Override
    public boolean isRecovering() {
        return log.isRecovering();
    }

    @Override
    public void stateRecovered() {
        log.stateRecovered();
    }

    @Override
    public boolean isShortOfRoom() {
        return log.isShortOfRoom();
    }

    @Override
    public boolean isGivingWay() {
        return log.isGivingWay();
    }

    @Override
    public void close() {
        log.close();
    }
}
