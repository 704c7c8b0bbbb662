/**
 * The certificate authority of a cluster, as its masters run it: invitations, certificates and
 * revocations are records of the replicated state; the key is in a file of each master.
 */
@NullMarked
package io.cairn.master.identity;

import org.jspecify.annotations.NullMarked;
