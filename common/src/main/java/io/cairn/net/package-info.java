/**
 * Remote calls between services: connections that carry framed messages both ways, so that a master
 * can push to its clients over their own connections.
 *
 * <p>{@link io.cairn.net.Transport} is the seam: sockets in production, a simulated network in
 * tests. {@link io.cairn.net.frame.FrameChannel} is the protocol of a connection. Each side tells
 * in its first frame which versions of the protocol it understands, and messages are encoded for
 * the highest common one. Decorators measure and trace ({@link io.cairn.net.MeasuredTransport},
 * {@link io.cairn.net.TracedTransport}).
 *
 * <p><b>Threads.</b> Handlers and the futures of calls run on event loops ({@link
 * io.cairn.net.EventLoops}) and must not block. Calls may be made from any thread. A door can run a
 * connection on its own threads instead ({@link io.cairn.net.tcp.PolledTransport}).
 *
 * <p><b>Failures.</b> Messages are delivered in order, at most once. When a connection breaks, or
 * shows no sign of life, all its calls fail with DISCONNECTED, and the caller cannot know whether
 * they were done. A call fails with ETIMEDOUT after its time. Bytes that are no frame close the
 * connection. Frames, calls under way and memory for payloads are bounded, and a peer that asks too
 * much is not read for a while.
 */
@org.jspecify.annotations.NullMarked
package io.cairn.net;
