/** Tests of {@code net.tcp}. */
@NullUnmarked
package io.cairn.net.tcp;

import org.jspecify.annotations.NullUnmarked;
