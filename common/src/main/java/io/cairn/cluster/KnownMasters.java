package io.cairn.cluster;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Where the masters of a cluster may be reached: where they say that they are, then where this
 * process was told to look. Masters come and go while it runs. Thread-safe.
 */
public final class KnownMasters {
    private final List<Endpoint> told;
    private volatile List<Endpoint> all;

    /** Knows what the process was told, at least one. */
    public KnownMasters(List<Endpoint> told) {
        this.told = List.copyOf(told);
        this.all = this.told;
    }

    /** What masters tell of themselves; nothing changes when they tell of nobody. */
    public void learn(List<Endpoint> masters) {
        if (masters.isEmpty()) {
            return;
        }
        Set<Endpoint> next = new LinkedHashSet<>();
        for (Endpoint each : masters) {
            if (each.port() != 0 && !isAnywhere(each.host())) {
                next.add(each);
            }
        }
        next.addAll(told);
        if (!all.equals(List.copyOf(next))) {
            all = List.copyOf(next);
        }
    }

    /** A service that listens at all addresses of its machine does not know by which it is seen. */
    private static boolean isAnywhere(String host) {
        return host.equals("0.0.0.0") || host.equals("::");
    }

    /** All of them, each once. */
    public List<Endpoint> list() {
        return all;
    }
}
