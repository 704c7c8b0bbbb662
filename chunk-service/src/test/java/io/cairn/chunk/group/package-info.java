/** Tests of {@code chunk.group}. */
@NullUnmarked
package io.cairn.chunk.group;

import org.jspecify.annotations.NullUnmarked;
