/** Tests of the package of the same name. */
@NullMarked
package io.cairn.metadata.inode;

import org.jspecify.annotations.NullMarked;
