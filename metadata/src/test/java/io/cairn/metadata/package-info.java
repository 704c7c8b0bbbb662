/** Tests of {@code metadata}. */
@NullUnmarked
package io.cairn.metadata;

import org.jspecify.annotations.NullUnmarked;
