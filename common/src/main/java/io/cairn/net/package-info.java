/**
 * Remote calls between services: connections that carry framed messages both ways. {@link
 * io.cairn.net.Transport} is the seam: Netty in production, no network at all between services of
 * one process, a simulated network in tests.
 */
@org.jspecify.annotations.NullMarked
package io.cairn.net;
