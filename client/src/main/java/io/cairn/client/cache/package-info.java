/**
 * Beliefs of a mount about inodes and names, and for how long they hold: {@link
 * io.cairn.client.cache.MetadataCache} for a second, {@link io.cairn.client.cache.KnownDirectory}
 * while the count of a directory stays the same. Read-ahead of directories fills both.
 *
 * <p>Everything here is bounded and thread-safe, and may be forgotten at any time: the master is
 * asked again then. Pushes of the master, a new connection and the end of the session make it
 * forget.
 */
@NullMarked
package io.cairn.client.cache;

import org.jspecify.annotations.NullMarked;
