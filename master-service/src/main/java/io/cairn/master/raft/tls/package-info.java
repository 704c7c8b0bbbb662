/**
 * The messages of masters among each other over connections with certificates. Ratis' own transport
 * has no TLS, so these go over the transport that clients use, too. A connection is made to one
 * master by its name. Only masters of the same cluster are listened to, and each of them only in
 * its own name. A renewed certificate is shown on the next connection; those of a revoked one end.
 *
 * <pre>
 * +------+------------------------------------------------------+
 * | kind | payload: the request of Ratis as protocol buffer      |
 * |  1   | at most {@code Limits.MAX_PAYLOAD_BYTES}              |
 * +------+------------------------------------------------------+
 * </pre>
 *
 * The key of a new authority goes the same way, from a master that has it to the address of one
 * that has not. The header of an answer is the answer of Ratis as protocol buffer.
 */
@NullMarked
package io.cairn.master.raft.tls;

import org.jspecify.annotations.NullMarked;
