/**
 * The filesystem client.
 *
 * <p>A client is one session with the master and a set of connections to chunk servers. Names,
 * attributes and layouts come from the master and are cached for a bounded time; file contents go
 * straight to the chunk servers that the cluster map names, so that the master is on no data path.
 * Writes are collected in a bounded buffer and are sent in the background; {@code close} and {@code
 * fsync} wait for them and report what went wrong. What a client has closed, every later open
 * anywhere sees.
 */
@NullMarked
package io.cairn.client;

import org.jspecify.annotations.NullMarked;
