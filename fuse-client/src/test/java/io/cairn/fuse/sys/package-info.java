/** Tests of {@code fuse.sys}. */
@NullUnmarked
package io.cairn.fuse.sys;

import org.jspecify.annotations.NullUnmarked;
