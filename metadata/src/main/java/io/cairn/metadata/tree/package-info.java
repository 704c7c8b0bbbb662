/** The operations on the tree. */
@NullMarked
package io.cairn.metadata.tree;

import org.jspecify.annotations.NullMarked;
