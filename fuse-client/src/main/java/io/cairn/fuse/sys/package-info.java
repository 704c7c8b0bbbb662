/** System calls, raw memory, and the numbers and structures of the kernel. */
@NullMarked
package io.cairn.fuse.sys;

import org.jspecify.annotations.NullMarked;
