/** Tests of {@code metadata.lock}. */
@NullUnmarked
package io.cairn.metadata.lock;

import org.jspecify.annotations.NullUnmarked;
