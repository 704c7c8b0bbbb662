/** Inodes, names and attributes as records, and the objects that they give up. */
@NullMarked
package io.cairn.metadata.inode;

import org.jspecify.annotations.NullMarked;
