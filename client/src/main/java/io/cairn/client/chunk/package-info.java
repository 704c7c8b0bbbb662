/**
 * Chunks: where they are, reading, writing and flushing them, and the written data that is buffered
 * for them.
 *
 * <p>{@link io.cairn.client.chunk.ChunkIo} makes a {@code ChunkCall} of each request. It finds the
 * group in the cluster map, asks the head or any serving member, and tries again with a younger map
 * or another replica until its deadline. {@link io.cairn.client.chunk.WriteBack} holds the extents
 * of one file and sends them, never two that overlap at a time. Nothing here blocks: answers come
 * on event loops.
 */
@NullMarked
package io.cairn.client.chunk;

import org.jspecify.annotations.NullMarked;
