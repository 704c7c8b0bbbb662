/** Chunks: where they are, reading, writing and flushing them, and what is buffered for them. */
@NullMarked
package io.cairn.client.chunk;

import org.jspecify.annotations.NullMarked;
