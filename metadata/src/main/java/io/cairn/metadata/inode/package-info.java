/**
 * Inodes, names and extended attributes as records, with the objects that they give up: orphans,
 * contents of lost clients, and the garbage queue. An object enters that queue in the same entry
 * that takes its last reference away.
 */
@NullMarked
package io.cairn.metadata.inode;

import org.jspecify.annotations.NullMarked;
