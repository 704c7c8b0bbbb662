package io.cairn.master.cluster;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.ClusterRequest.Heartbeat;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chunk servers that hold data of another cluster and ask here. One that is alone with that was
 * given the wrong masters; when all are, the masters may have lost theirs: their disks were not
 * mounted, and they founded a new cluster. Its user holds the lock.
 */
final class ForeignServers {
    private static final Logger LOG = LoggerFactory.getLogger(ForeignServers.class);
    private static final long RECENT_MS = 30_000;
    private static final long REMINDER_MS = 60_000;
    private static final int MOST = 256;

    private final Clock clock;
    private final Map<String, Knock> knocks = new TreeMap<>();

    /** The last question of one, and when it was told last. */
    private record Knock(long cluster, long atMs, long toldMs) {}

    ForeignServers(Clock clock) {
        this.clock = clock;
    }

    /**
     * Refuses one, with a line in the log once a minute.
     *
     * @throws FsException WRONG_CLUSTER when the server's directories belong to another cluster
     */
    void check(Heartbeat heartbeat, Endpoint at, long cluster) {
        long other = heartbeat.clusterId();
        if (other == 0 || other == cluster) {
            return;
        }
        long nowMs = clock.millis();
        if (knocks.size() >= MOST) {
            knocks.clear(); // somebody makes up names
        }
        Knock last = knocks.get(heartbeat.name());
        boolean told = last != null && last.cluster == other && nowMs - last.toldMs < REMINDER_MS;
        long toldMs = last != null && told ? last.toldMs : nowMs;
        knocks.put(heartbeat.name(), new Knock(other, nowMs, toldMs));
        if (!told) {
            LOG.error(
                    "chunk server {} at {} holds data of cluster {}, these masters are of cluster"
                            + " {}: it is not taken. If these masters were started on empty"
                            + " directories, stop them all, bring their directories back (is a disk"
                            + " not mounted?) and start them again; format nothing, the files are"
                            + " on the chunk servers. Else correct --masters of {}",
                    heartbeat.name(),
                    at,
                    "%016x".formatted(other),
                    "%016x".formatted(cluster),
                    heartbeat.name());
        }
        throw new FsException(
                Errno.WRONG_CLUSTER,
                "chunk server %s holds data of cluster %016x; this is cluster %016x: check its"
                                .formatted(heartbeat.name(), other, cluster)
                        + " --data and --masters");
    }

    /** Those that asked within the last half minute, with their cluster, by name. */
    Map<String, Long> recent() {
        long nowMs = clock.millis();
        Map<String, Long> recent = new TreeMap<>();
        knocks.forEach(
                (name, each) -> {
                    if (nowMs - each.atMs < RECENT_MS) {
                        recent.put(name, each.cluster);
                    }
                });
        return recent;
    }

    void clear() {
        knocks.clear();
    }
}
