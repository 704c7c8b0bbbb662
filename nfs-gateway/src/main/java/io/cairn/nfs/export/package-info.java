/**
 * The exports: paths of the filesystem, and for each the clients that may use it, with their rights
 * and the mapping of their user numbers. {@link io.cairn.nfs.export.Exports} is the seam behind
 * which the list is kept.
 */
@org.jspecify.annotations.NullMarked
package io.cairn.nfs.export;
