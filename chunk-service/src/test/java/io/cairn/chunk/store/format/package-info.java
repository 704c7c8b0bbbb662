/** Tests of {@code chunk.store.format}. */
@NullUnmarked
package io.cairn.chunk.store.format;

import org.jspecify.annotations.NullUnmarked;
