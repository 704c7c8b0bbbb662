/** Tests of {@code client.chunk}. */
@NullUnmarked
package io.cairn.client.chunk;

import org.jspecify.annotations.NullUnmarked;
