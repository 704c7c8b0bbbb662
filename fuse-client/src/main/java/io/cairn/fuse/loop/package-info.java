/**
 * Shared by both drivers: the threads that take requests from the kernel, open files and
 * directories, options, and what the kernel may keep in its caches. One thread reads at a time and
 * serves what it read. Before it waits it hands the reading over, so a request that waits for the
 * cluster stops no other one.
 */
@NullMarked
package io.cairn.fuse.loop;

import org.jspecify.annotations.NullMarked;
