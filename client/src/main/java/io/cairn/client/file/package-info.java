/**
 * Open files: their contents, commits, appends, locks and read-ahead. All open files of one inode
 * share one state, so that every reader of a mount sees every write at once.
 *
 * <p>A lock of the inode guards that state, and is never held while a thread waits for an answer.
 * Readers and writers come on threads of the caller and may wait for room or for a change of the
 * layout. Commits and answers run on event loops. An error of a write is noted and told once to
 * each open file.
 */
@NullMarked
package io.cairn.client.file;

import org.jspecify.annotations.NullMarked;
