/** Tests of {@code metadata.job}. */
@NullUnmarked
package io.cairn.metadata.job;

import org.jspecify.annotations.NullUnmarked;
