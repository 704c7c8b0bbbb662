/**
 * The filesystem client. {@link io.cairn.client.CairnFileSystem} is its door for mounts, gateways
 * and commands.
 *
 * <p>A client is one session with the masters and a set of connections to chunk servers. Names,
 * attributes and layouts come from the leading master and are cached for a bounded time. File
 * contents go straight to the chunk servers that the cluster map names, so no master is on a data
 * path. Writes are collected in a bounded buffer and sent in the background. {@code close} and
 * {@code fsync} wait for them and report errors.
 *
 * <p><b>Rooms.</b> This package opens and closes files, moves contents, and counts operations.
 * {@link io.cairn.client.tree} knows names and attributes, {@link io.cairn.client.file} open files,
 * {@link io.cairn.client.lock} advisory locks, {@link io.cairn.client.cache} what a mount may
 * believe. {@link io.cairn.client.chunk} talks to chunk servers, {@link io.cairn.client.session} to
 * masters. Each sees only those behind it in this list.
 *
 * <p><b>Threads.</b> Callers bring their own threads, and most operations block them until the
 * answer is there. Answers arrive on event loops, which never block: they complete futures and send
 * what waits. Timers renew the session and commit old writes. An operation may be cancelled while
 * it waits ({@link io.cairn.runtime.PendingRequest}).
 *
 * <p><b>Failures.</b> A request goes to the next leader or the next replica, with the same bytes,
 * until it is answered or its time is over. Without a time limit it waits for the cluster. Errors
 * of writes in the background are kept and told once to each open file. When the session ends,
 * locks are lost, and unsent writes under them are given up with EIO. {@code docs/consistency.md}
 * has the promises.
 */
@NullMarked
package io.cairn.client;

import org.jspecify.annotations.NullMarked;
