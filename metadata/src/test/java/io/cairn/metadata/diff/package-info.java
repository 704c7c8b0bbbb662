/** Tests of {@code metadata.diff}. */
@NullUnmarked
package io.cairn.metadata.diff;

import org.jspecify.annotations.NullUnmarked;
