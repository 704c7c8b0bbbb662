/** Tests of the blob store, with a disk that crashes, fills up and fails. */
@NullMarked
package io.cairn.chunk.store;

import org.jspecify.annotations.NullMarked;
