/**
 * The protocol of a placement group. {@link io.cairn.chunk.group.ChunkTurns} gives each chunk to
 * one change at a time, and the head orders the changes ({@code HeadWrites}, {@code FanOut}).
 * Members apply them in that order ({@code MemberWrites}). Agreement, comparison, syncing and
 * repair make replicas equal again. {@link io.cairn.chunk} explains the protocol as a whole.
 *
 * <p>Nothing here waits with a thread: work begins on a disk thread and goes on in continuations.
 * Term and lease are checked before a change and again before its answer. A failure that another
 * member may mend becomes NOT_READY or WRONG_EPOCH, so that the client asks again.
 */
@NullMarked
package io.cairn.chunk.group;

import org.jspecify.annotations.NullMarked;
