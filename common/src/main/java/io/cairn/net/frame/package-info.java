/**
 * The protocol of connections, without sockets: bytes become events and calls become bytes. A
 * {@link io.cairn.net.frame.FrameChannel} belongs to one thread at a time, that of its {@link
 * io.cairn.net.frame.Wire}, which is also the only place where its bytes leave.
 *
 * <pre>
 *   any thread:  call, send, answer --&gt; Outbox --+
 *                                                | Wire.execute
 *   owner:       Wire &lt;-- bytes -- FrameChannel &lt;+-- Heartbeat, once a second
 *                Wire -- bytes --&gt; FrameReader --&gt; Handler, or the future of a call
 * </pre>
 */
@NullMarked
package io.cairn.net.frame;

import org.jspecify.annotations.NullMarked;
