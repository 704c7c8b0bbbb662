/** Tests of the package of the same name. */
@NullMarked
package io.cairn.fuse.sys;

import org.jspecify.annotations.NullMarked;
