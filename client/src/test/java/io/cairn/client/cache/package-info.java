/** Tests of {@code client.cache}. */
@NullUnmarked
package io.cairn.client.cache;

import org.jspecify.annotations.NullUnmarked;
