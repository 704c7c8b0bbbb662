/** Checks that the state is consistent. */
@NullMarked
package io.cairn.metadata.check;

import org.jspecify.annotations.NullMarked;
