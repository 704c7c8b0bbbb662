/**
 * Locks: POSIX, flock, APPEND tokens and share reservations, held by sessions or by machines behind
 * NFS gateways. Waiting requests are kept in order, deadlocks are found when a request begins to
 * wait, and the end of a holder releases its locks.
 */
@NullMarked
package io.cairn.metadata.lock;

import org.jspecify.annotations.NullMarked;
