/**
 * The space that trees, users and groups take: sums that the masters keep exactly, and whose they
 * are. Each inode is charged once: to the directory of its first name and to all above it, to its
 * owner and to its group.
 */
@NullMarked
package io.cairn.fs.quota;

import org.jspecify.annotations.NullMarked;
