/**
 * Consensus: one Raft group of masters, by Apache Ratis. Nobody else imports Ratis.
 *
 * <p>A mutation takes this way: {@link io.cairn.master.raft.Combiner} gathers what waits into one
 * log entry, Ratis replicates and syncs it, {@link io.cairn.master.raft.NamespaceMachine} applies
 * it to {@link io.cairn.master.raft.ReplicatedState} on one thread and completes the waiting
 * callers. For a lone operation that is three changes of thread, all of them Ratis' own: to the
 * log's writer, to the leader's counter of acknowledgements, to the updater.
 *
 * <p>A master's directory:
 *
 * <pre>
 *   FORMAT        whose directory it is
 *   LOCK          held by the running process
 *   raft/         Ratis: log segments, term and vote
 *   db/           the live state (RocksDB), outside of what Ratis renames
 *   checkpoints/  ckpt.TERM_INDEX: durable copies of the state; the log is purged below them
 * </pre>
 *
 * <p>Logging: Ratis tells every step at INFO, and each attempt to reach a master that is down, with
 * stack traces. A quiet configuration sets {@code org.apache.ratis} to WARN, {@code
 * org.apache.ratis.util.LifeCycle} to OFF and {@code org.apache.ratis.server.leader.LogAppender} to
 * ERROR.
 */
@NullMarked
package io.cairn.master.raft;

import org.jspecify.annotations.NullMarked;
