/**
 * ONC RPC version 2 (RFC 5531) over TCP, on Netty, for whatever {@link io.cairn.nfs.rpc.RpcProgram}
 * stands behind it.
 *
 * <p>A record is collected in one buffer of its size, into which the socket reads directly; the
 * arguments of a WRITE are a slice of it. Replies are encoded into a buffer with the record mark in
 * front; a payload goes to the socket as it is. The header is looked at on the event loop, the call
 * itself runs on a worker, for it may block.
 *
 * <p>Nothing grows with the demands of a peer. Records have a largest size, a connection may have
 * so many calls and bytes in progress, and all connections together share a budget. A connection is
 * not read while it has used up its share. A call counts until the socket has taken its answer, so
 * a client that does not read gets no further. When the budget is used up, connections that make no
 * progress are closed in favour of those that do.
 */
@org.jspecify.annotations.NullMarked
package io.cairn.nfs.rpc;
