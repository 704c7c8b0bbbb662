/**
 * Which blobs clients of this machine may read themselves, and until when. {@link
 * io.cairn.chunk.direct} explains the whole.
 */
@NullMarked
package io.cairn.chunk.store.grant;

import org.jspecify.annotations.NullMarked;
