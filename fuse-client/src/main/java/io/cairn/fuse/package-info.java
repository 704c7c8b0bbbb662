/**
 * The mount: the filesystem client behind a Linux mountpoint.
 *
 * <p>{@link io.cairn.fuse.FuseMount} mounts; its threads ({@code RequestLoop}) take requests from
 * {@code /dev/fuse} and give them to a {@code Driver}, of which there are two:
 *
 * <ul>
 *   <li>{@code kernel}, the standard: speaks the protocol of the kernel. Node numbers are inode
 *       numbers. Passes the whole contract suite, reads and writes 1 MiB at a time, and the kernel
 *       may keep attributes, because what is stale is taken back at open.
 *   <li>{@code jnr}: callbacks of libfuse 2 with jnr-fuse, by path ({@code PathCallbacks}, {@code
 *       PathResolver}) and by handle ({@code FileCallbacks}). For kernels before 5.4, and to
 *       compare. Knows no flags of renameat2 and no SEEK_HOLE, takes each hard link for a file, and
 *       opening a name that is being replaced may fail.
 * </ul>
 *
 * <p>Both have this in common: a callback never lets an exception out, because libfuse would take
 * that for success and the kernel would wait for ever. It may wait as long as it takes, because
 * {@code SignalledRequests} lets the process behind a request go when it gets a signal, and waiting
 * for a lock ends then. Permissions are checked by the kernel ({@code default_permissions}); the
 * filesystem is called with {@link io.cairn.fs.Caller#checkedByKernel}.
 *
 * <p>Close-to-open between mounts is the work of {@code KernelView}; unlinked open files of libfuse
 * that of {@code HiddenFiles}; names that are replaced while they are opened that of {@code
 * ReplacedFiles} and {@code StaleOpens}.
 */
@NullMarked
package io.cairn.fuse;

import org.jspecify.annotations.NullMarked;
