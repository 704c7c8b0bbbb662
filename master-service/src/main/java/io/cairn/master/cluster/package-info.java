/**
 * The cluster's decisions: which servers are alive, which targets are members of which placement
 * group, and which of them serve.
 *
 * <p>{@link io.cairn.master.cluster.MapDecision} is a pure function from the committed {@link
 * io.cairn.cluster.ClusterMap} and what the leader has seen of the servers to the next map. {@link
 * io.cairn.master.cluster.ServerWatch} hears the heartbeats and proposes its results through the
 * replicated log, one at a time.
 *
 * <p>The rule that makes it safe: a target is taken out of a group only after its server's lease
 * has ended on the server's own clock, counted from the moment it sent the last heartbeat that was
 * answered. From then on the server neither serves reads nor acknowledges writes, so the next epoch
 * has no rival (invariant I4).
 */
@NullMarked
package io.cairn.master.cluster;

import org.jspecify.annotations.NullMarked;
