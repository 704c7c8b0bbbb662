/** Tests of {@code metadata.trash}. */
@NullUnmarked
package io.cairn.metadata.trash;

import org.jspecify.annotations.NullUnmarked;
