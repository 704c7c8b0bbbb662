/**
 * The session with the masters: connections, calls, the cluster map, the clock of the masters.
 *
 * <p>{@link io.cairn.client.session.MasterChannel} finds the leader, numbers mutations, and sends
 * them again with the same bytes to whichever master leads, so that each is done exactly once.
 * Requests wait in a bounded queue while there is no leader. Calls complete on the event loop that
 * receives the answer; callers may also wait for them, or look for the answer themselves. The
 * session is renewed by a timer, and lost when no renewal gets through for a lease.
 */
@NullMarked
package io.cairn.client.session;

import org.jspecify.annotations.NullMarked;
