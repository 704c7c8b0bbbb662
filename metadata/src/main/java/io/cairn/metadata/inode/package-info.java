/**
 * Inodes, names, links and extended attributes as records, and orphans: inodes without a name. Each
 * inode knows the directory of its name; one with several names has a record of each of the others.
 */
@NullMarked
package io.cairn.metadata.inode;

import org.jspecify.annotations.NullMarked;
