/** Tests of {@code metadata.content}. */
@NullUnmarked
package io.cairn.metadata.content;

import org.jspecify.annotations.NullUnmarked;
