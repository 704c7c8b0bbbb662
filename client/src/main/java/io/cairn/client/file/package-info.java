/**
 * Open files: their contents, commits, appends and read-ahead. All open files of one inode share
 * one state, so that every reader of a mount sees every write at once.
 *
 * <p>{@link io.cairn.client.file.OpenInode} owns that state and has the only lock, which is never
 * held while a thread waits for an answer. The parts that decide ({@code Committer}, {@code
 * AppendToken}, {@code ReadAhead}) are told events and return the next step; they ask no server.
 * Readers and writers come on threads of the caller and may wait for room or for a change of the
 * layout. Commits and answers run on event loops. An error of a write is noted and told once to
 * each open file.
 */
@NullMarked
package io.cairn.client.file;

import org.jspecify.annotations.NullMarked;
