/**
 * How the members of placement groups move from target to target: what was lost is made anew
 * elsewhere, and targets that are to go are emptied.
 *
 * <p>{@link io.cairn.master.cluster.move.MoveDecision} is a pure function of the cluster map and of
 * the targets as the leader sees them. A move is a new member that syncs, and later the end of the
 * membership of the one that it replaces. Nothing else is remembered, so that each leader goes on
 * where the one before stopped.
 */
@NullMarked
package io.cairn.master.cluster.move;

import org.jspecify.annotations.NullMarked;
