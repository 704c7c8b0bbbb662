/** Tests of the package of the same name. */
@NullMarked
package io.cairn.metadata.check;

import org.jspecify.annotations.NullMarked;
