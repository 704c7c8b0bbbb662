/** Tests of {@code metadata.state}. */
@NullUnmarked
package io.cairn.metadata.state;

import org.jspecify.annotations.NullUnmarked;
