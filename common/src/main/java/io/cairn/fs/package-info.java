/**
 * The vocabulary of the filesystem: names, attributes, errors, and {@link io.cairn.fs.FileSystem},
 * the inode-based seam between the client and its doors (FUSE, NFS, CLI).
 *
 * <p>Inode numbers are plain {@code long}s called {@code ino}; the root is {@link
 * io.cairn.fs.FileSystem#ROOT_INO}. Names and symlink targets are bytes, never strings. Times are
 * nanoseconds since the epoch. Every failure is an {@link io.cairn.base.FsException} carrying an
 * {@link io.cairn.base.Errno}.
 */
@org.jspecify.annotations.NullMarked
package io.cairn.fs;
