/**
 * The surroundings of a group: its term and lease, the other members, and the leader of the
 * masters. {@link io.cairn.chunk.peer.Heartbeat} tells the leader that this server lives and takes
 * the lease and the map home.
 */
@NullMarked
package io.cairn.chunk.peer;

import org.jspecify.annotations.NullMarked;
