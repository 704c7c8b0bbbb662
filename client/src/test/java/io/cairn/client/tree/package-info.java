/** Tests of {@code client.tree}. */
@NullUnmarked
package io.cairn.client.tree;

import org.jspecify.annotations.NullUnmarked;
