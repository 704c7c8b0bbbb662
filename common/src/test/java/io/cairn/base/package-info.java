/** Tests of the package of the same name. */
@NullMarked
package io.cairn.base;

import org.jspecify.annotations.NullMarked;
