package io.cairn.metadata.snapshot;

import io.cairn.metadata.state.Counters;
import io.cairn.metadata.state.HistoryKeys;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.View;
import java.util.List;
import java.util.function.Consumer;

/**
 * Checks the snapshots: at most one is being taken, and nothing is kept without any. The invariant
 * is called S1.
 */
public final class SnapshotCheck {
    private static final byte[] ALL = {};

    private final View view;
    private final Consumer<String> violated;

    public SnapshotCheck(View view, Consumer<String> violated) {
        this.view = view;
        this.violated = violated;
    }

    /** Checks records and what is kept. */
    public void check() {
        List<SnapshotRecord> all = SnapshotRecord.all(view);
        if (all.stream().filter(SnapshotRecord::isBegun).count() > 1) {
            violated.accept("S1 several snapshots are being taken");
        }
        long nextOid = Counters.load(view).nextOid();
        for (SnapshotRecord record : all) {
            if (record.isLive() && record.firstOid() > nextOid) {
                violated.accept(
                        "S1 objects from %d on are yet to come, snapshot %d shows those before %d"
                                .formatted(nextOid, record.number(), record.firstOid()));
            }
        }
        if (all.stream().noneMatch(record -> record.version() > 0)) {
            checkEmpty(Family.HISTORY, ALL);
            checkEmpty(Family.HELD, ALL);
            checkEmpty(Family.META, Keys.revived());
        }
        view.each(
                Family.HISTORY,
                (key, value) -> {
                    if (Keys.versionOf(value) >= HistoryKeys.end(key)) {
                        violated.accept("S1 a record was kept that was replaced before it was");
                    }
                });
    }

    private void checkEmpty(Family family, byte[] prefix) {
        boolean[] isEmpty = {true};
        view.scan(
                family,
                prefix,
                prefix,
                (_, _) -> {
                    isEmpty[0] = false;
                    return false;
                });
        if (!isEmpty[0]) {
            violated.accept("S1 there are no snapshots, but records of " + family);
        }
    }
}
