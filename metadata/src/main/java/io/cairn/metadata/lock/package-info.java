/** Locks of sessions and of machines behind gateways. */
@NullMarked
package io.cairn.metadata.lock;

import org.jspecify.annotations.NullMarked;
