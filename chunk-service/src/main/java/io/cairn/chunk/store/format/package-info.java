/**
 * The formats on disk, and where files are: headers, intent records, entries of the ledger, the
 * file {@code FORMAT} of a target. Values only: no file is opened here.
 */
@NullMarked
package io.cairn.chunk.store.format;

import org.jspecify.annotations.NullMarked;
