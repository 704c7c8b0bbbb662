/** Tests of {@code chunk.store.pack}. */
@NullUnmarked
package io.cairn.chunk.store.pack;

import org.jspecify.annotations.NullUnmarked;
