/** Tests of {@code http}. */
@NullUnmarked
package io.cairn.http;

import org.jspecify.annotations.NullUnmarked;
