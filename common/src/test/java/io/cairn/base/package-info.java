/** Tests of {@code base}. */
@NullUnmarked
package io.cairn.base;

import org.jspecify.annotations.NullUnmarked;
