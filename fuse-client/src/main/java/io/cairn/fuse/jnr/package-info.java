/**
 * The driver over jnr-fuse and libfuse 2: callbacks by path, on loop threads of our own. It keeps
 * tables of names and open files that libfuse identifies by path only.
 */
@NullMarked
package io.cairn.fuse.jnr;

import org.jspecify.annotations.NullMarked;
