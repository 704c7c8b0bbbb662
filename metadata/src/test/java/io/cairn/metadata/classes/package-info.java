/** Tests of {@code metadata.classes}. */
@NullUnmarked
package io.cairn.metadata.classes;

import org.jspecify.annotations.NullUnmarked;
