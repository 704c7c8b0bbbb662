package io.cairn.client.chunk;

/**
 * Where the bytes of a chunk are read.
 *
 * @param lengthBytes what lies at or beyond it in the chunk reads as zeros, whatever is stored
 */
public record ChunkSource(ChunkPlace place, long lengthBytes) {}
