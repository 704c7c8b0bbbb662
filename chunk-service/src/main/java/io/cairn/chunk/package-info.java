/**
 * The chunk server: keeper of file contents.
 *
 * <p>A chunk server owns one or more targets, each a directory on one disk, and belongs to the
 * placement groups that the cluster map assigns to its targets. The head of a group orders the
 * writes of each chunk and passes them down the group; a write is acknowledged when all current
 * members have it. Every request carries the epoch of the map its sender knows; an older one is
 * refused. This package holds the wiring, the request door and the replication between servers.
 */
@NullMarked
package io.cairn.chunk;

import org.jspecify.annotations.NullMarked;
