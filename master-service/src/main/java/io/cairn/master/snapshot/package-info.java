/** The leader's part of snapshots: takes them when no older write is under way, and sweeps. */
@NullMarked
package io.cairn.master.snapshot;

import org.jspecify.annotations.NullMarked;
