/** Tests of the mount. */
@NullMarked
package io.cairn.fuse;

import org.jspecify.annotations.NullMarked;
