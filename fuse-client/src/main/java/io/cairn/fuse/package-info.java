/**
 * The mount: the filesystem client behind a Linux mountpoint.
 *
 * <p>The kernel asks by path and by file handle; the client answers by inode. This package is the
 * door between the two: it resolves paths, keeps the table of open handles and runs the loop
 * threads that take requests from the kernel. A callback never lets an exception out and never
 * waits without a deadline, because a blocked callback leaves a process that cannot be killed.
 */
@NullMarked
package io.cairn.fuse;

import org.jspecify.annotations.NullMarked;
