/** Tests of {@code fuse.loop}. */
@NullUnmarked
package io.cairn.fuse.loop;

import org.jspecify.annotations.NullUnmarked;
