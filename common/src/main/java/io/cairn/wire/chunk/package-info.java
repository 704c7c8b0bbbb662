/** Requests to chunk servers, and their replies. */
@NullMarked
package io.cairn.wire.chunk;

import org.jspecify.annotations.NullMarked;
