/** What chunk servers are asked, and what they answer. */
@NullMarked
package io.cairn.wire.chunk;

import org.jspecify.annotations.NullMarked;
