/** Tests of the package of the same name. */
@NullMarked
package io.cairn.fuse.kernel;

import org.jspecify.annotations.NullMarked;
