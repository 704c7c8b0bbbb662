/** The driver over jnr-fuse and libfuse 2. */
@NullMarked
package io.cairn.fuse.jnr;

import org.jspecify.annotations.NullMarked;
