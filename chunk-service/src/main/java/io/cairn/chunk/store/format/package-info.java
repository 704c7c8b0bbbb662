/** The formats on disk, and where files are. */
@NullMarked
package io.cairn.chunk.store.format;

import org.jspecify.annotations.NullMarked;
