/** Tests of {@code chunk.store.blob}. */
@NullUnmarked
package io.cairn.chunk.store.blob;

import org.jspecify.annotations.NullUnmarked;
