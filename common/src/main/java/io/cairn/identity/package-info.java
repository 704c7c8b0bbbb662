/**
 * Identities of processes: the certificate authority of a cluster, the certificates it signs, and
 * the TLS that they make possible.
 *
 * <p>A certificate names the cluster, the role and the name of a process ({@link
 * io.cairn.identity.Subject}). A process gets its first one for a {@link
 * io.cairn.identity.JoinToken}, and the next ones for the one before. While the authority is
 * replaced there is more than one ({@link io.cairn.identity.Authorities}). Bouncy Castle makes and
 * reads certificates and signing requests; the JDK does everything else.
 */
@NullMarked
package io.cairn.identity;

import org.jspecify.annotations.NullMarked;
