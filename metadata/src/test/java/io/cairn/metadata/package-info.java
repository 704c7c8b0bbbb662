/** Tests of the package of the same name. */
@NullMarked
package io.cairn.metadata;

import org.jspecify.annotations.NullMarked;
