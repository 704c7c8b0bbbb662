/**
 * Remote calls between services: connections that carry framed messages both ways. {@link
 * io.cairn.net.Transport} is the seam: Netty in production, no network at all between services of
 * one process, a simulated network in tests. Each side of a connection tells in its {@link
 * io.cairn.net.tcp.Greeting} which versions of the protocol it understands; messages are encoded
 * for the highest common one.
 */
@org.jspecify.annotations.NullMarked
package io.cairn.net;
