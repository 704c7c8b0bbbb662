/** Tests of the package of the same name. */
@NullMarked
package io.cairn.chunk.group;

import org.jspecify.annotations.NullMarked;
