package io.cairn.master.cluster;

import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Reply;
import java.util.concurrent.CompletableFuture;

/** Submits the leader's own mutations. Thread-safe. */
@FunctionalInterface
public interface LogWriter {
    /** Logs and applies; fails like {@code ReplicatedLog.submit}. */
    CompletableFuture<Reply> submit(LeaderMutation mutation);
}
