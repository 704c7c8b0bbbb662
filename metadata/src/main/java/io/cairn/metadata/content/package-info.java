/**
 * Contents of files: sizes, inline bytes and layouts. Commits, truncation, spilling, renewed tails
 * and exchanged contents are decided here, against the inode as it is at that place of the log: a
 * commit that knows an older object gets ESTALE. Objects leave files through {@link
 * io.cairn.metadata.content.ObjectLedger} only, in the same entry that takes the last reference to
 * them away.
 */
@NullMarked
package io.cairn.metadata.content;

import org.jspecify.annotations.NullMarked;
