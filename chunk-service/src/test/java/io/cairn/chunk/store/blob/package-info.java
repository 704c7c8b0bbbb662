/** Tests of the package of the same name. */
@NullMarked
package io.cairn.chunk.store.blob;

import org.jspecify.annotations.NullMarked;
