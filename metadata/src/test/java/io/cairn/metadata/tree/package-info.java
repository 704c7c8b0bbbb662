/** Tests of {@code metadata.tree}. */
@NullUnmarked
package io.cairn.metadata.tree;

import org.jspecify.annotations.NullUnmarked;
