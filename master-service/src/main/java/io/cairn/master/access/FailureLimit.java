package io.cairn.master.access;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.runtime.Clock;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How many passwords of an address are refused before it has to wait: {@value #MOST} a minute. It
 * remembers {@value #MAX_ADDRESSES} addresses at most, those that failed last. Thread-safe.
 */
final class FailureLimit {
    static final int MOST = 30;
    static final int MAX_ADDRESSES = 1024;

    private static final long PERIOD_MS = 60_000;

    private final Clock clock;

    /** Those that failed, with the one first that failed longest ago. Guarded by this. */
    private final Map<String, Failures> failures = new LinkedHashMap<>();

    private record Failures(long sinceMs, int count) {}

    FailureLimit(Clock clock) {
        this.clock = clock;
    }

    /**
     * Looks whether an address may try a password.
     *
     * @throws FsException EACCES when it has to wait
     */
    synchronized void require(String address) {
        Failures known = current(address);
        if (known != null && known.count >= MOST) {
            throw new FsException(
                    Errno.EACCES,
                    "%d passwords of %s were refused: wait a minute"
                            .formatted(known.count, address));
        }
    }

    /** A password of an address was refused. */
    synchronized void add(String address) {
        Failures known = current(address);
        failures.remove(address);
        failures.put(
                address,
                known == null
                        ? new Failures(clock.millis(), 1)
                        : new Failures(known.sinceMs, known.count + 1));
        if (failures.size() > MAX_ADDRESSES) {
            failures.remove(failures.keySet().iterator().next());
        }
    }

    /** How many addresses are remembered. */
    synchronized int size() {
        return failures.size();
    }

    private @Nullable Failures current(String address) {
        Failures known = failures.get(address);
        return known == null || clock.millis() - known.sinceMs >= PERIOD_MS ? null : known;
    }
}
