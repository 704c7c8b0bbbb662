package io.cairn.master.cluster;

/**
 * How the master treats chunk servers.
 *
 * @param replicas copies of every chunk where no policy says otherwise; 0 = as many as there are
 *     servers when the first pool is made, up to 3
 * @param expectedServers the first pools are made as soon as that many servers have come, and not
 *     before; 0 = wait for {@code settleMs}
 * @param settleMs pools are made when no further server came for that long
 * @param serverLeaseMs how long a server may serve after a heartbeat
 * @param reunionMs how long a group of which members came back without their memory waits for one
 *     that may have kept it
 */
public record ClusterSettings(
        int replicas, int expectedServers, long settleMs, long serverLeaseMs, long reunionMs) {
    private static final long STANDARD_REUNION_MS = 120_000;

    /** The standard: as many replicas as servers, up to 3; 2 s to settle; 3 s of lease. */
    public static final ClusterSettings STANDARD = new ClusterSettings(0, 0, 2_000, 3_000);

    private static final int MOST_BY_ITSELF = 3;

    /** With the standard wait for members that may have kept their memory: two minutes. */
    public ClusterSettings(int replicas, int expectedServers, long settleMs, long serverLeaseMs) {
        this(replicas, expectedServers, settleMs, serverLeaseMs, STANDARD_REUNION_MS);
    }

    /**
     * The number of replicas that the cluster is founded with; fewer where there are fewer servers.
     */
    public int standardReplicas() {
        return replicas > 0 ? replicas : MOST_BY_ITSELF;
    }
}
