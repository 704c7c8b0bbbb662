/** Tests of what is remembered of operations. */
@NullMarked
package io.cairn.trace;

import org.jspecify.annotations.NullMarked;
