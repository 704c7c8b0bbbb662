/**
 * Packed blobs: codecs that make data smaller, and the table that tells where the packed data lies.
 * Values only: no file is opened here.
 *
 * <p>A blob is packed as a whole, into a new file that takes the place of the old one, and is never
 * changed then. The first change of a packed blob makes it plain again, in the same way. So
 * overwriting needs no rules of its own: at each moment one complete, synced file is in place.
 */
@NullMarked
package io.cairn.chunk.store.pack;

import org.jspecify.annotations.NullMarked;
