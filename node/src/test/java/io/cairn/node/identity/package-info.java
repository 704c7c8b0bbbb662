/** Tests of the package of the same name. */
@NullMarked
package io.cairn.node.identity;

import org.jspecify.annotations.NullMarked;
