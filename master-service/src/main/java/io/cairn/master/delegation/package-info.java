/**
 * The right of one session to make names in a directory alone. It tells the masters of a new file
 * when it is closed, so nobody else may hear of the directory before: whoever asks about it waits
 * until the right was recalled and all was told. A right is given by a log entry, so that what was
 * logged before has been done, and what comes later finds the right. It ends with the term: a new
 * leader recalls the rights of all sessions that have reserved inode numbers.
 *
 * <p>A session uses a right for {@link io.cairn.wire.Limits#RIGHT_LEASE_MS} after it sent the last
 * request that was answered. The rights of one that is silent for a quarter longer are taken by a
 * log entry. From then on a removal that it has answered itself is refused, as others may have
 * changed what has the name, and a file that it has made is made as by anybody.
 */
@NullMarked
package io.cairn.master.delegation;

import org.jspecify.annotations.NullMarked;
