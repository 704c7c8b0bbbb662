/**
 * Contents of files: sizes, inline bytes and layouts. Commits, truncation, spilling, renewed tails
 * and exchanged contents are decided here, against the inode as it is at that place of the log: a
 * commit that knows an older object gets ESTALE.
 */
@NullMarked
package io.cairn.metadata.content;

import org.jspecify.annotations.NullMarked;
