/**
 * The pure core of the master: the filesystem tree, sessions, locks and garbage as a deterministic
 * state machine over a small {@link io.cairn.metadata.state.Store}. No clock, no randomness, no
 * network, no threads: the same entries in the same order make the same state on every master.
 *
 * <pre>
 *   log entry -> Namespace.apply --> Interpreter --> TreeOperations, RenameOperation,
 *                    |               one switch      AttributeOperations, ContentOperations,
 *                    |                               LockTable, SessionTable, Cluster
 *                    |                                        |  check, then change
 *                    |                               InodeTable, DirectoryTable, XattrTable,
 *                    |                               GarbageQueue, Counters, LayoutChoice
 *                    |                                        |
 *                    |                               Transaction: what this entry has changed
 *                    v                                        |
 *                 commit: one batch <-------------------------+
 *                    |
 *   query --> Namespace.read --> View: what is committed
 * </pre>
 *
 * <p><b>One entry, one batch.</b> An entry holds the mutations that waited together. They see each
 * other's changes through the {@link io.cairn.metadata.state.Transaction}, which becomes one batch
 * of the store together with the position in the log. A mutation checks everything before it
 * changes anything; that a failed one has changed nothing is verified each time, and if it has, the
 * process stops rather than go on with half of it.
 *
 * <p><b>Once.</b> The reply to every mutation of a session is stored in the batch that executes it.
 * A retry finds it, whichever master it reaches. Clients acknowledge replies, which are then
 * forgotten; how far they did is read from the replies that are left.
 *
 * <p><b>Readers and the writer.</b> One thread applies. It works on the overlay beside the
 * committed state and excludes readers only while it commits. Tables that are kept in memory
 * (locks, session windows, counters) belong to that thread alone; readers get the same facts from
 * the store. What readers and writer share is the store, a cache of decoded inodes as they were
 * committed, and one immutable record of small facts.
 *
 * <p><b>Versions.</b> Every change of an inode gives it a version that no other change has, not
 * even one in the same log entry: Spill and SwapContents, and every cache, rely on that.
 *
 * <p>{@link io.cairn.metadata.state.Keys} is the legend of all that is stored. {@link
 * io.cairn.metadata.Namespace#check} verifies the invariants, {@link
 * io.cairn.metadata.Namespace#fingerprint} compares masters.
 */
@org.jspecify.annotations.NullMarked
package io.cairn.master.namespace;
