package io.cairn.master.access;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.runtime.Clock;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How many passwords are refused before others have to wait: {@value #MOST} a minute of one user at
 * one address, {@value #MOST_OF_ADDRESS} of all users there. So mounts whose password was changed
 * do not keep others out behind the same address. Of an address, each certificate counts as an
 * address of its own. It remembers {@value #MAX_KNOWN} of both at most, those that failed last.
 * Thread-safe.
 */
final class FailureLimit {
    static final int MOST = 30;
    static final int MOST_OF_ADDRESS = 300;
    static final int MAX_KNOWN = 2048;

    private static final long PERIOD_MS = 60_000;

    private final Clock clock;

    /** Those that failed, with the one first that failed longest ago. Guarded by this. */
    private final Map<String, Failures> failures = new LinkedHashMap<>();

    private record Failures(long sinceMs, int count) {}

    FailureLimit(Clock clock) {
        this.clock = clock;
    }

    /**
     * Looks whether a user may try a password at an address.
     *
     * @throws FsException EACCES when it has to wait
     */
    synchronized void require(String address, String user) {
        require(of(address, user), MOST);
        require(address, MOST_OF_ADDRESS);
    }

    private void require(String who, int most) {
        Failures known = current(who);
        if (known != null && known.count >= most) {
            throw new FsException(
                    Errno.EACCES,
                    "%d passwords of %s were refused: wait a minute".formatted(known.count, who));
        }
    }

    /** A password was refused. */
    synchronized void add(String address, String user) {
        add(of(address, user));
        add(address);
    }

    private static String of(String address, String user) {
        return user + " at " + address;
    }

    private void add(String who) {
        Failures known = current(who);
        failures.remove(who);
        failures.put(
                who,
                known == null
                        ? new Failures(clock.millis(), 1)
                        : new Failures(known.sinceMs, known.count + 1));
        if (failures.size() > MAX_KNOWN) {
            failures.remove(failures.keySet().iterator().next());
        }
    }

    /** How many addresses, and users at addresses, are remembered. */
    synchronized int size() {
        return failures.size();
    }

    private @Nullable Failures current(String who) {
        Failures known = failures.get(who);
        return known == null || clock.millis() - known.sinceMs >= PERIOD_MS ? null : known;
    }
}
