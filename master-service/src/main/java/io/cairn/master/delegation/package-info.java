/**
 * The right of one session to make names in a directory alone. It tells the masters of a new file
 * when it is closed, so nobody else may hear of the directory before: whoever asks about it waits
 * until the right was recalled and all was told. A right is given by a log entry, so that what was
 * logged before has been done, and what comes later finds the right. It ends with the term: a new
 * leader recalls the rights of all sessions that have reserved inode numbers.
 */
@NullMarked
package io.cairn.master.delegation;

import org.jspecify.annotations.NullMarked;
