/**
 * The sums of what trees, users and groups hold. Every change of an inode passes here, so that they
 * are exact after each log entry, whatever changed the inode.
 */
@NullMarked
package io.cairn.metadata.usage;

import org.jspecify.annotations.NullMarked;
