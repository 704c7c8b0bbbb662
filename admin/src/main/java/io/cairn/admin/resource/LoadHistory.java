package io.cairn.admin.resource;

import io.cairn.admin.api.Field;
import io.cairn.admin.api.Json;
import io.cairn.admin.api.Listing;
import io.cairn.admin.api.Outcome;
import io.cairn.admin.api.Parameter;
import io.cairn.admin.api.Resource;
import io.cairn.admin.api.Role;
import io.cairn.admin.api.Route;
import io.cairn.admin.api.Shape;
import io.cairn.admin.watch.LoadDocument;
import io.cairn.runtime.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * {@code /load}: how busy the cluster was, a sample every {@value #PERIOD_MS} ms, the last {@value
 * #MAX_SAMPLES} of them, in the memory of the leader. Thread-safe.
 */
public final class LoadHistory implements Resource {
    static final long PERIOD_MS = 5_000;
    static final int MAX_SAMPLES = 120;

    private final Clock clock;
    private final Supplier<Map<String, Object>> numbers;
    private final Deque<Map<String, Object>> samples = new ArrayDeque<>();
    private long term = -1;
    private long sampledMs;

    /**
     * An empty history.
     *
     * @param numbers what a sample holds besides its time
     */
    public LoadHistory(Clock clock, Supplier<Map<String, Object>> numbers) {
        this.clock = clock;
        this.numbers = numbers;
    }

    /** Takes a sample when it is time; call it a few times a second while this master leads. */
    public synchronized void tick(long leaderTerm) {
        if (leaderTerm != term) {
            term = leaderTerm;
            samples.clear();
            sampledMs = clock.millis();
        }
        if (clock.millis() - sampledMs < PERIOD_MS) {
            return;
        }
        sampledMs = clock.millis();
        Map<String, Object> sample = Json.map();
        sample.put("at", LoadDocument.text(clock.now()));
        sample.putAll(numbers.get());
        samples.addLast(sample);
        if (samples.size() > MAX_SAMPLES) {
            samples.removeFirst();
        }
    }

    @Override
    public List<Route> routes() {
        Shape sample =
                LoadDocument.shape(
                        Field.of("at", Shape.time(), "When."),
                        Field.of("usedBytes", Shape.count(), "Of all disks, all copies."),
                        Field.of("sessions", Shape.count(), "Mounts, gateways and tools."),
                        ClusterResource.OPERATIONS,
                        ClusterResource.LATENCY);
        return List.of(
                Route.of(
                                "GET",
                                "/load",
                                Role.READ,
                                "How busy the cluster was in the last ten minutes, as far as this"
                                        + " leader knows; the oldest sample first.")
                        .with(Parameter.LIMIT)
                        .answers(
                                Shape.fields(
                                        Field.of("items", Shape.items(sample), "The samples."),
                                        Field.of("everyMs", Shape.count(), "Between samples.")))
                        .reads(call -> Outcome.of(last(Listing.limit(call)))));
    }

    /** The last samples, the oldest of them first. */
    synchronized Map<String, Object> last(int limit) {
        Map<String, Object> document = Json.map();
        document.put(
                "items",
                new ArrayList<>(
                        samples.stream().skip(Math.max(0, samples.size() - limit)).toList()));
        document.put("everyMs", PERIOD_MS);
        return document;
    }
}
