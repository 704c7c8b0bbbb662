/** Tests of the package of the same name. */
@NullMarked
package io.cairn.wire.master;

import org.jspecify.annotations.NullMarked;
