package io.cairn.master.raft;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.ratis.metrics.LongCounter;
import org.apache.ratis.metrics.MetricRegistries;
import org.apache.ratis.metrics.MetricRegistryInfo;
import org.apache.ratis.metrics.RatisMetricRegistry;
import org.apache.ratis.metrics.Timekeeper;
import org.apache.ratis.util.TimeDuration;

/**
 * Ratis wants a place for its own numbers and does not start without one. Nobody reads them: Cairn
 * measures itself. So this one keeps nothing, which saves a dozen timers per log entry. Ratis finds
 * it through {@code META-INF/services}. Thread-safe.
 */
public final class SilentMetrics extends MetricRegistries {
    private static final Timekeeper.Context STOPPED = () -> 0;
    private static final Timekeeper STILL = () -> STOPPED;

    /** For the service loader. */
    public SilentMetrics() {}

    @Override
    public void clear() {
        // There is nothing.
    }

    @Override
    public RatisMetricRegistry create(MetricRegistryInfo about) {
        return new SilentRegistry(about);
    }

    @Override
    public boolean remove(MetricRegistryInfo about) {
        return false;
    }

    @Override
    public Optional<RatisMetricRegistry> get(MetricRegistryInfo about) {
        return Optional.empty();
    }

    @Override
    public Set<MetricRegistryInfo> getMetricRegistryInfos() {
        return Set.of();
    }

    @Override
    public Collection<RatisMetricRegistry> getMetricRegistries() {
        return List.of();
    }

    @Override
    public void addReporterRegistration(
            Consumer<RatisMetricRegistry> begin, Consumer<RatisMetricRegistry> end) {
        // Nobody reports.
    }

    @Override
    public void enableJmxReporter() {
        // Nobody reports.
    }

    @Override
    public void enableConsoleReporter(TimeDuration rate) {
        // Nobody reports.
    }

    /** A registry that keeps nothing. */
    private record SilentRegistry(MetricRegistryInfo about) implements RatisMetricRegistry {
        @Override
        public Timekeeper timer(String name) {
            return STILL;
        }

        @Override
        public LongCounter counter(String name) {
            return new SilentCounter();
        }

        @Override
        public boolean remove(String name) {
            return true;
        }

        @Override
        public <T> void gauge(String name, Supplier<Supplier<T>> gauge) {
            // Never read.
        }

        @Override
        public MetricRegistryInfo getMetricRegistryInfo() {
            return about;
        }
    }

    /** A counter that stays at 0. */
    private static final class SilentCounter implements LongCounter {
        @Override
        public void inc(long by) {
            // Never read.
        }

        @Override
        public void dec(long by) {
            // Never read.
        }

        @Override
        public long getCount() {
            return 0;
        }
    }
}
