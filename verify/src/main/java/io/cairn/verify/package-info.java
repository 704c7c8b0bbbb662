/**
 * {@code cairn verify}: starts a cluster of real processes, lets it work, breaks it, and compares
 * what it holds with what it acknowledged.
 *
 * <p>The verifier is no part of the cluster. It does system calls on mounts and NFS calls to
 * gateways ({@link io.cairn.verify.access}), and remembers in its own memory what was acknowledged
 * when ({@link io.cairn.verify.work}). {@link io.cairn.verify.history} decides whether an answer
 * was allowed. {@link io.cairn.verify.fault} breaks things, {@link io.cairn.verify.process} starts
 * and ends processes. Nothing here sees the code of masters, chunk servers or clients.
 *
 * <p>A fault is one <em>trial</em>: it begins, holds for some seconds, and is mended. Then all
 * accesses have to read, write and change names again, the cluster has to be well again, and
 * everything that was acknowledged is compared while nobody works.
 *
 * <p><b>Threads.</b> One thread injects faults; each access has one for each kind of work.
 */
@NullMarked
package io.cairn.verify;

import org.jspecify.annotations.NullMarked;
