/** Tests of the package of the same name. */
@NullMarked
package io.cairn.fuse.loop;

import org.jspecify.annotations.NullMarked;
