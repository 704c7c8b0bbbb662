/** Tests of {@code metadata.check}. */
@NullUnmarked
package io.cairn.metadata.check;

import org.jspecify.annotations.NullUnmarked;
