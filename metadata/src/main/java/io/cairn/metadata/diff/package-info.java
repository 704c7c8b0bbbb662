/**
 * Differences between two states of a tree. The records that were kept for a snapshot are exactly
 * those that have changed since, so that they tell which inodes, and which directories, have to be
 * looked at. What did not change is not read.
 */
@NullMarked
package io.cairn.metadata.diff;

import org.jspecify.annotations.NullMarked;
