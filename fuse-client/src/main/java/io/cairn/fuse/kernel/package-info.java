/** The driver that speaks the protocol of the kernel. */
@NullMarked
package io.cairn.fuse.kernel;

import org.jspecify.annotations.NullMarked;
