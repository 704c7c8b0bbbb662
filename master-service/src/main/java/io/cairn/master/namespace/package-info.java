/**
 * The pure core of the master: the filesystem tree, sessions, locks and garbage as a deterministic
 * state machine over a small {@link io.cairn.master.namespace.Store}. No clock, no randomness, no
 * network, no threads: the same entries in the same order make the same state on every master.
 */
@org.jspecify.annotations.NullMarked
package io.cairn.master.namespace;
