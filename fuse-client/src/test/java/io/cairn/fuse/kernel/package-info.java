/** Tests of {@code fuse.kernel}. */
@NullUnmarked
package io.cairn.fuse.kernel;

import org.jspecify.annotations.NullUnmarked;
