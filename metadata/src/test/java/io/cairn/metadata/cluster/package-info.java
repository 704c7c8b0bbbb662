/** Tests of {@code metadata.cluster}. */
@NullUnmarked
package io.cairn.metadata.cluster;

import org.jspecify.annotations.NullUnmarked;
