/**
 * The namespace of a cluster: a deterministic state machine. {@link io.cairn.metadata.Namespace}
 * executes the mutations of each log entry in order, and answers queries from the committed state.
 * It has no network, no clock, no randomness and no threads.
 *
 * <p><b>Determinism.</b> The same entries make the same state on every master, whoever applies them
 * and however often a process was restarted between them. The time comes with the entry, and
 * numbers come from counters in the state. Bad input never throws: it becomes a reply, the same
 * everywhere. An exception means a broken store or invariant, and the process must stop and replay.
 *
 * <p><b>Threads.</b> One thread applies. Any thread may read at any time and sees the state between
 * two entries. An entry is executed beside the committed state, and only the commit of its changes
 * excludes readers.
 *
 * <p><b>Rooms.</b> A package for each noun has its records, its operations with {@code apply}, its
 * queries and its check. {@link io.cairn.metadata.state} has keys, the seam of the store, the
 * transaction with the one writer of records, and the view for readers.
 */
@NullMarked
package io.cairn.metadata;

import org.jspecify.annotations.NullMarked;
