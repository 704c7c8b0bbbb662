package io.cairn.master.snapshot;

import io.cairn.metadata.Bench;
import io.cairn.testkit.ManualClock;
import io.cairn.wire.master.Reply.TrashReply.Made;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Clients that know every name at once. */
final class SilentWatch implements SnapshotKeeper.NameWatch {
    /** A keeper of the snapshots of a namespace, whose clients wait for nothing. */
    static SnapshotKeeper keeper(Bench bench, ManualClock clock) {
        return new SnapshotKeeper(
                () -> bench.namespace,
                mutation -> CompletableFuture.completedFuture(bench.leader(mutation)),
                _ -> true,
                new SilentWatch(),
                _ -> CompletableFuture.completedFuture(null),
                clock);
    }

    @Override
    public void changed(long directoryIno) {}

    @Override
    public CompletableFuture<Void> announce(List<Made> names) {
        return CompletableFuture.completedFuture(null);
    }
}
