package io.cairn.master.raft;

import io.cairn.master.store.RocksStore;
import io.cairn.master.store.StoreGauge;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Arrays;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftServer.Division;
import org.apache.ratis.server.protocol.TermIndex;

/**
 * The log and the store beneath it in numbers: {@code cairn.raft.*} and {@code cairn.rocksdb.*}.
 * They are read when somebody asks; a log that is closed answers NaN.
 */
final class LogGauges {
    private final Division division;
    private final Combiner combiner;
    private final Supplier<RocksStore> store;
    private final MeterRegistry registry;

    LogGauges(
            Division division,
            Combiner combiner,
            Supplier<RocksStore> store,
            MeterRegistry registry) {
        this.division = division;
        this.combiner = combiner;
        this.store = store;
        this.registry = registry;
    }

    void register() {
        raft("term", "the term as this master knows it", d -> d.getInfo().getCurrentTerm());
        raft("leading", "1 on the leader", d -> d.getInfo().isLeader() ? 1 : 0);
        raft("last.index", "the last entry of the log", LogGauges::lastIndex);
        raft(
                "committed.index",
                "the last entry that a majority has",
                d -> d.getRaftLog().getLastCommittedIndex());
        raft("applied.index", "the last entry applied", d -> d.getInfo().getLastAppliedIndex());
        raft(
                "apply.lag.entries",
                "entries committed and not yet applied here",
                d ->
                        Math.max(
                                0,
                                d.getRaftLog().getLastCommittedIndex()
                                        - d.getInfo().getLastAppliedIndex()));
        raft(
                "follower.lag.entries",
                "on the leader: entries that the slowest follower lacks",
                LogGauges::followerLag);
        raft(
                "log.entries",
                "entries between the last snapshot and the end of the log",
                d -> lastIndex(d) - Math.max(0, d.getRaftLog().getSnapshotIndex()));
        gauge("cairn.raft.waiting.operations", "operations for the next entry", combiner::waiting);
        gauge("cairn.raft.flying.entries", "entries proposed, not applied", combiner::flying);
        for (StoreGauge each : StoreGauge.values()) {
            store(each);
        }
    }

    private void raft(String title, String about, ToDoubleFunction<Division> value) {
        gauge("cairn.raft." + title, about, () -> value.applyAsDouble(division));
    }

    private void gauge(String name, String about, Supplier<Number> value) {
        Gauge.builder(name, () -> orNothing(value)).description(about).register(registry);
    }

    private void store(StoreGauge each) {
        String name = "cairn.rocksdb." + each.title();
        if (each.isCount()) {
            FunctionCounter.builder(
                            name,
                            this,
                            g -> orNothing(() -> g.store.get().read(each)).doubleValue())
                    .register(registry);
        } else {
            gauge(name, each.title().replace('.', ' '), () -> store.get().read(each));
        }
    }

    private static Number orNothing(Supplier<Number> value) {
        try {
            return value.get();
        } catch (RuntimeException e) {
            return Double.NaN; // closed, or just being replaced
        }
    }

    private static long lastIndex(Division division) {
        TermIndex last = division.getRaftLog().getLastEntryTermIndex();
        return last == null ? division.getRaftLog().getSnapshotIndex() : last.getIndex();
    }

    private static double followerLag(Division division) {
        DivisionInfo about = division.getInfo();
        if (!about.isLeader()) {
            return 0;
        }
        long slowest = Arrays.stream(about.getFollowerMatchIndices()).min().orElse(Long.MAX_VALUE);
        return slowest == Long.MAX_VALUE ? 0 : Math.max(0, lastIndex(division) - slowest);
    }
}
