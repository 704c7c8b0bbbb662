/**
 * The world outside of a process, as seams: time, delayed work, files on disk, native calls,
 * metrics of latency.
 *
 * <p>Services get {@link io.cairn.runtime.Clock}, {@link io.cairn.runtime.Scheduler} and {@link
 * io.cairn.runtime.Disk} through their constructors. A whole cluster therefore runs in one JVM on
 * simulated ones that follow a seed. Only this package and the launchers touch the real clock,
 * threads of timers, files of targets, and functions of the C library.
 *
 * <p><b>Threads.</b> Tasks of the scheduler are short and never block. A {@code Disk} blocks its
 * caller and may be used from any thread. An {@link io.cairn.runtime.PendingRequest} is the work of
 * one caller that may lose patience; a wait finds it by a scoped value. A {@link
 * io.cairn.runtime.PollLoop} is run by threads of a door between their requests.
 *
 * <p><b>Failures.</b> A disk without room throws {@link io.cairn.runtime.DiskFullException}, which
 * is no fault of the disk. Every other failure is an {@code IOException}, and after a failed sync
 * no caller may assume anything about the file. A function that the C library does not have is
 * reported when it is bound.
 */
@org.jspecify.annotations.NullMarked
package io.cairn.runtime;
