/**
 * Files and directories of this machine that last: what is written is there after a power cut, as a
 * whole or not at all. The disks of chunk servers are behind {@link io.cairn.runtime.Disk} instead.
 */
@NullMarked
package io.cairn.runtime.file;

import org.jspecify.annotations.NullMarked;
