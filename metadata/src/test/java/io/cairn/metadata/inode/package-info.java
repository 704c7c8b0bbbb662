/** Tests of {@code metadata.inode}. */
@NullUnmarked
package io.cairn.metadata.inode;

import org.jspecify.annotations.NullUnmarked;
