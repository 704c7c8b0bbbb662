/**
 * Direct reads: a client on the machine of a chunk server reads files of blobs itself.
 *
 * <p>The server <em>grants</em> a chunk to a client in place of a read: it passes an open file, the
 * length and all checksums ({@code Grants}). It does so in a shared turn of the chunk, under the
 * conditions of a read ({@code Reader}): the term runs, the server may answer reads, and all
 * members have the same state of the chunk. So at that moment the file has what a read would give.
 *
 * <p>The server shows in shared memory ({@code GrantWords}) whether that still holds, and the
 * client looks there <em>after</em> each read, before it believes the bytes:
 *
 * <ul>
 *   <li>A word of the chunk changes <em>before</em> a change of the file begins ({@code
 *       ContentLock}), whatever the reason: write, replacement, deletion, damage. A write is
 *       acknowledged only after all current members have begun it, so after the words of all have
 *       changed. Bytes that were read half-way are thrown away with it.
 *   <li>It changes when the term of the group ends here, and when somebody names a younger epoch.
 *   <li>One word is the end of the right to answer reads ({@code Lease.allowsReads}). It is renewed
 *       after the terms of a new map have begun, and the client reads it before the word of the
 *       chunk. A server that stands still, or has no master, loses it in time; then others may
 *       write without it. The client reckons the time of the server from the moment before it asked
 *       for it, so it errs to the safe side only.
 *   <li>The connection to the socket of the server is open. The kernel closes it together with the
 *       lock of the target when the process ends, and no other process can have begun to serve the
 *       target while it is open.
 * </ul>
 *
 * <p>So at the moment of that look the bytes are those that a read of the server would have
 * returned. The client verifies their checksums, too. Whatever fails sends it to the network. It
 * reads only what the kernel has in memory, so that a disk that hangs or is slow cannot hold it up.
 */
@NullMarked
package io.cairn.chunk.direct;

import org.jspecify.annotations.NullMarked;
