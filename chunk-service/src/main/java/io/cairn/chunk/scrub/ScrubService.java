package io.cairn.chunk.scrub;

import io.cairn.chunk.group.Groups;
import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.peer.PeerContext;
import io.cairn.chunk.store.StorageTarget;
import io.cairn.wire.scrub.ScrubReport;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Verification and mending for all targets of a server. Thread-safe. */
public final class ScrubService {
    /** What is done for one target. */
    private record Care(Scrub scrub, Mending mending) {}

    private final Map<StorageTarget, Care> cares = new LinkedHashMap<>();

    /** For some targets; does nothing yet. */
    public ScrubService(Groups groups, List<StorageTarget> targets) {
        for (StorageTarget target : targets) {
            PeerContext station = groups.station(target);
            Mending mending = new Mending(station, groups, target);
            cares.put(target, new Care(new Scrub(station, groups, target, mending), mending));
        }
    }

    /** Begins. */
    public void begin() {
        for (Care care : cares.values()) {
            care.mending.begin();
            care.scrub.begin();
        }
    }

    /** Begins nothing more; done, never failed, when what is under way has ended. */
    public CompletableFuture<Void> end() {
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        for (Care care : cares.values()) {
            ends.add(care.scrub.end());
            ends.add(care.mending.end());
        }
        return Futures.all(ends);
    }

    /** What the masters want from now on. */
    public void accept(ScrubReport.Orders orders) {
        cares.values().forEach(care -> care.scrub.accept(orders));
    }

    /** Another map is in force: who could not be asked before may be asked now. */
    public void mapChanged() {
        cares.values().forEach(care -> care.mending.retry());
    }

    /** How far a target is verified. */
    public ScrubReport report(StorageTarget target) {
        Care care = cares.get(target);
        return care == null ? ScrubReport.NONE : care.scrub.report();
    }
}
