/** Tests of {@code net.frame}. */
@NullUnmarked
package io.cairn.net.frame;

import org.jspecify.annotations.NullUnmarked;
