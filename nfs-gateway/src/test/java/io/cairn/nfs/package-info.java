/**
 * A small NFS client of our own, which says exactly what it is told to, right or wrong, and what is
 * tested with it.
 */
@org.jspecify.annotations.NullMarked
package io.cairn.nfs;
