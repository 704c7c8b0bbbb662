/**
 * The words of the cluster: servers, targets, pools, placement groups, and the {@link
 * io.cairn.cluster.ClusterMap} that joins them; and a file's {@link io.cairn.cluster.Layout}, which
 * together with the map tells where every chunk lives without asking anybody.
 */
@org.jspecify.annotations.NullMarked
package io.cairn.cluster;
