/**
 * Remote calls between services: connections that carry framed messages both ways. {@link
 * io.cairn.net.Transport} is the seam: sockets in production, a simulated network in tests. What
 * goes over a connection is the business of {@link io.cairn.net.frame.FrameChannel}; each side
 * tells in its first frame which versions of the protocol it understands, and messages are encoded
 * for the highest common one.
 */
@org.jspecify.annotations.NullMarked
package io.cairn.net;
