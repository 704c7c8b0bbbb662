/**
 * System calls, raw memory, and the numbers and structures of the kernel. Errors of the C library
 * come back as negated error numbers; no method here knows the filesystem.
 */
@NullMarked
package io.cairn.fuse.sys;

import org.jspecify.annotations.NullMarked;
