/**
 * Files of a chunk server on this machine that a mount reads itself. {@link
 * io.cairn.client.direct.GrantedChunk} believes what it read only after it has seen that the server
 * would have said the same at that moment; the package {@code io.cairn.chunk.direct} of the server
 * explains why that is so.
 */
@NullMarked
package io.cairn.client.direct;

import org.jspecify.annotations.NullMarked;
