/**
 * Advisory locks of files, which the master keeps. Threads of callers wait here until a push tells
 * that a lock was granted. Pushes come on event loops.
 */
@NullMarked
package io.cairn.client.lock;

import org.jspecify.annotations.NullMarked;
