/**
 * Operations on the tree: creating, linking, removing and renaming names, and changing attributes,
 * with their errors in the order in which Linux finds them. Every change of the names of a
 * directory adds one to its count.
 */
@NullMarked
package io.cairn.metadata.tree;

import org.jspecify.annotations.NullMarked;
