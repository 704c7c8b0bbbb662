/** Blobs: their files, the intent log, the ledger, replacements. */
@NullMarked
package io.cairn.chunk.store.blob;

import org.jspecify.annotations.NullMarked;
