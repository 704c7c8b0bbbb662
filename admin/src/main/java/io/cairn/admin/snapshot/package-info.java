/**
 * Snapshots of directories over the admin API: takes, lists and drops them, and takes those of
 * schedules while this master leads. Clones of files.
 */
@NullMarked
package io.cairn.admin.snapshot;

import org.jspecify.annotations.NullMarked;
