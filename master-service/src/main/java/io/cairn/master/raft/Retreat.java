package io.cairn.master.raft;

import io.cairn.base.Wording;
import io.cairn.master.raft.member.Hello;
import io.cairn.runtime.Clock;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets another master lead when the disk of this one has no room: with the room of a majority the
 * cluster goes on writing. One that was tried in vain is left alone for a while. Thread-safe.
 */
final class Retreat {
    private static final Logger LOG = LoggerFactory.getLogger(Retreat.class);

    /** After a try that failed. */
    static final long PAUSE_MS = 10_000;

    private final BooleanSupplier leads;
    private final BooleanSupplier isLow;
    private final Supplier<Map<String, Hello>> others;
    private final Function<String, CompletableFuture<Void>> lead;
    private final Clock clock;
    private final AtomicBoolean running = new AtomicBoolean();
    private volatile boolean failed;
    private volatile long failedMs;

    /**
     * Nothing happens before {@link #tick}.
     *
     * @param leads whether this master leads and is ready for it
     * @param isLow whether it has so little room that it takes no changes
     * @param others what the others of the same cluster told lately, by name
     * @param lead makes another one lead
     */
    Retreat(
            BooleanSupplier leads,
            BooleanSupplier isLow,
            Supplier<Map<String, Hello>> others,
            Function<String, CompletableFuture<Void>> lead,
            Clock clock) {
        this.leads = leads;
        this.isLow = isLow;
        this.others = others;
        this.lead = lead;
        this.clock = clock;
    }

    /** Whether another master is about to lead, so that changes are to be tried again there. */
    boolean isPossible() {
        return running.get() || next() != null;
    }

    /** Looks, and begins it if it is time; called several times a second. Never blocks. */
    void tick() {
        String next = leads.getAsBoolean() && isLow.getAsBoolean() ? next() : null;
        if (next == null || !running.compareAndSet(false, true)) {
            return;
        }
        LOG.warn("there is no room on the disk of this master, {} is to lead", next);
        var _ =
                lead.apply(next)
                        .whenComplete(
                                (_, error) -> {
                                    failed = error != null;
                                    failedMs = clock.millis();
                                    running.set(false);
                                    if (error != null) {
                                        LOG.warn("{} does not lead: {}", next, Wording.of(error));
                                    }
                                });
    }

    /** The one with room that is farthest. */
    private @Nullable String next() {
        if (failed && clock.millis() - failedMs < PAUSE_MS) {
            return null;
        }
        return others.get().values().stream()
                .filter(each -> each.votes() && !each.isLow())
                .max(Comparator.comparingLong(Hello::last))
                .map(Hello::id)
                .orElse(null);
    }
}
