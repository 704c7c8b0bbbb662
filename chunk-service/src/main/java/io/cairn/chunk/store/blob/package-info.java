/**
 * Blobs: their files, the intent log, the ledger, and replacements that are installed beside the
 * old file. All methods block and run on disk threads; locks are those of a blob. After a failed
 * write or sync a blob is fenced until it is replaced.
 */
@NullMarked
package io.cairn.chunk.store.blob;

import org.jspecify.annotations.NullMarked;
