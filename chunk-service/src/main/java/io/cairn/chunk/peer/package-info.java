/**
 * What a group sees of the world: its term, its lease, the other members, the leader of the
 * masters.
 */
@NullMarked
package io.cairn.chunk.peer;

import org.jspecify.annotations.NullMarked;
