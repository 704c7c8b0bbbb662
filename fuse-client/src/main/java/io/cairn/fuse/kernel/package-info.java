/**
 * The driver that speaks the FUSE protocol of the kernel on the descriptor that libfuse opened.
 * Requests are decoded by opcode into calls of {@link io.cairn.fs.FileSystem}; replies go out from
 * the same thread, or later from the thread that has the answer.
 */
@NullMarked
package io.cairn.fuse.kernel;

import org.jspecify.annotations.NullMarked;
