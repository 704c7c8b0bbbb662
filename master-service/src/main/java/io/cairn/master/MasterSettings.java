package io.cairn.master;

import io.cairn.cluster.Endpoint;
import io.cairn.master.cluster.ClusterSettings;

/**
 * Settings of a master, apart from its log.
 *
 * @param id the operator's name of this master
 * @param listen where clients and chunk servers find it; port 0 takes a free one
 * @param cluster how it treats chunk servers
 * @param inlineLimitBytes contents up to this size live in the inode, 0..16384; read when the
 *     cluster is founded
 * @param sessionLeaseMs how long a client's session lasts without a sign of life
 * @param uid whose the root directory is, with {@code gid}; read when the cluster is founded
 */
public record MasterSettings(
        String id,
        Endpoint listen,
        ClusterSettings cluster,
        int inlineLimitBytes,
        long sessionLeaseMs,
        int uid,
        int gid) {
    /** Of a cluster whose root directory is root's. */
    public MasterSettings(
            String id,
            Endpoint listen,
            ClusterSettings cluster,
            int inlineLimitBytes,
            long sessionLeaseMs) {
        this(id, listen, cluster, inlineLimitBytes, sessionLeaseMs, 0, 0);
    }
}
