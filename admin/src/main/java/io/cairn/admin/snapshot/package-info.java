/** Snapshots of directories over the admin API: takes, lists and drops them. */
@NullMarked
package io.cairn.admin.snapshot;

import org.jspecify.annotations.NullMarked;
