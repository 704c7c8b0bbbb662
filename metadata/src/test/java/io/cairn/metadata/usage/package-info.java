/** Tests of {@code metadata.usage}. */
@NullUnmarked
package io.cairn.metadata.usage;

import org.jspecify.annotations.NullUnmarked;
