/** Tests of the package of the same name. */
@NullMarked
package io.cairn.metadata.tree;

import org.jspecify.annotations.NullMarked;
