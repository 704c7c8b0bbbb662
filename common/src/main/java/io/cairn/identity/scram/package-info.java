/**
 * Logins with a name and a password: SCRAM-SHA-256 (RFC 5802, RFC 7677) without channel binding,
 * both sides of it, without network, clock or randomness of its own.
 *
 * <pre>
 *   client                                server
 *     | n,,n=NAME,r=NONCE  --------------->|  salt, iterations and two keys of NAME
 *     |<------------- r=NONCES,s=SALT,i=N  |
 *     | c=biws,r=NONCES,p=PROOF  --------->|  does the proof fit the stored key?
 *     |<----------------------- v=SIGNATURE|
 * </pre>
 *
 * <p>The password never leaves the client. A server keeps a {@link
 * io.cairn.identity.scram.ScramVerifier}, with which nobody can log in.
 */
@NullMarked
package io.cairn.identity.scram;

import org.jspecify.annotations.NullMarked;
